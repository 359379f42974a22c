// SPDX-License-Identifier: MIT
#include "callers/run_steps.hpp"

#include <detent/base/compiler.hpp>

#include "callers/cancel.hpp"
#include "threads/driver_port.hpp"
#include "timer/periodic.hpp"

#include <algorithm>
#include <climits>

namespace detent::detail {
namespace {

// The deadline that it comes due for. A group's member lives by the group's time; the run's is the engine's. Returns
// the group's offset, no larger than at the time that it was due by: if the group is paused at this moment, so is its
// time.
group_offset describe_due(const engine_core& core, node_index index, nanoseconds_t started, run_details& due) noexcept {
  const nanoseconds_t kept = deadline_of(core.node_at(index).pair);
  const group_offset offset{
      std::min(offset_of_group(core, index).ns, subtract_saturated(core.ticks.round_down(started), kept))};
  due.deadline = due.unmet = core.ticks.round_up(later_by(offset, group_time{kept}));
  due.label = core.labels.find(core.cold_at(index));
  return offset;
}

// Decides which period the run stands for, and moves the grid, which is kept in the group's time, to the next one.
void begin_period_of(engine_core& core, node_index index, std::uint64_t word, nanoseconds_t started,
                     group_offset offset, run_details& due) noexcept {
  cold_node& cold = core.cold_at(index);
  cold.grid = later_by(offset, group_time{cold.grid});
  // Restarted since it was armed: the grid is anchored at the new deadline, even where that is the old one.
  if ((word & state_word::moved) != 0) cold.grid = due.deadline;
  const period_run period = begin_period(cold, due.unmet, started, core.ticks);
  due.deadline = period.deadline;
  due.missed = period.missed;
  cold.grid = earlier_by(offset, cold.grid).ns;
}

// The run is the timer's last: it is not pending any more.
void begin_last(engine_core& core, thread_record& mine, node_index index, std::uint64_t word) noexcept {
  core.seen.started_last(mine);
  end_pending(core, index, word);
}

// Begins the run of a timer with a cold part: a period, a group, a label, a limit of lateness.
DETENT_NOINLINE void begin_cold(engine_core& core, thread_record& mine, node_index index, std::uint64_t& word,
                                nanoseconds_t started, run_details& due) noexcept {
  cold_node& cold = core.cold_at(index);
  const group_offset offset = describe_due(core, index, started, due);
  due.label_number = cold.label();
  if ((word & state_word::periodic) != 0) {
    begin_period_of(core, index, word, started, offset, due);
    due.used_up = cold.runs_left != 0 && --cold.runs_left == 0;
    if (due.used_up) set_last(core.node_at(index).pair, word);
    if (due.missed != 0) core.seen.missed(mine, due.missed, due.label);
  } else if (const nanoseconds_t late = subtract_saturated(started, due.unmet); late > cold.max_lateness) {
    due.dropped = cold.stale == stale_policy::drop;
    due.stale = !due.dropped;
    core.seen.stale(index, word, due.unmet, late, due.dropped);
  }
}

// Describes for the recording what run_again() is about to try.
DETENT_NOINLINE DETENT_COLD operation arming_of(const engine_core& core, node_index index, std::uint64_t word,
                                                const run_scope& scope, nanoseconds_t deadline) noexcept {
  return {.deadline = deadline,
          .id = operation_id(index, state_word::generation(word)),
          .group = (word & state_word::cold) != 0 ? core.nodes.group_of(index) : nullptr,
          .kind = scope.rearmed() ? operation_kind::rearm : operation_kind::period};
}

enum class outcome : std::uint8_t { ended, armed_again };

// The next arming of the same node: re-armed by its callback, or the next period.
outcome run_again(engine_core& core, thread_record& mine, node_index index, std::uint64_t word,
                  const run_scope& scope) noexcept {
  if (core.abandoned.load(base::relaxed)) return outcome::ended;  // relaxed: as in finish_run()
  node& running = core.node_at(index);
  const bool periodic = (word & state_word::periodic) != 0;
  const group_state* group = (word & state_word::cold) != 0 ? core.nodes.group_of(index) : nullptr;
  const group_offset offset = group != nullptr ? group->offset(core.time) : group_offset{};
  const group_time next =
      scope.rearmed() ? earlier_by(offset, scope.rearm_deadline()) : group_time{next_period(core.cold_at(index), [&] {
        return earlier_by(offset, core.time.not_before_now()).ns;
      })};
  const std::uint32_t order = mine.next_order++ & state_word::order_mask;
  if (periodic && scope.rearmed()) core.cold_at(index).grid = next.ns;
  if (!periodic) {  // pending once more, before another thread can cancel it; may exceed max_pending
    core.seen.revived(mine);
    core.places.take_over_limit();
    if ((word & state_word::cold) != 0) rejoin(core, index);
  }
  const nanoseconds_t deadline = group == nullptr ? core.ticks.round_up(next.ns) : next.ns;
  timer_state to = mine.driving != nullptr ? timer_state::armed : timer_state::queued;
  // Before others may end it: once it is queued its node may be another timer's at any moment.
  nanoseconds_t time = to == timer_state::queued ? core.nodes.filing_time(index, word, deadline) : 0;
  const bool is_critical = core.nodes.is_critical(index, word);
  recorded_attempt recorded(core.seen.recording.get(),
                            [&] { return arming_of(core, index, word, scope, later_by(offset, next)); });
  core.waiters.show_end(&running);
  if (rearm(running.pair, word, to, deadline, order) == transition::lost) {
    if (!periodic) begin_last(core, mine, index, word);
    return outcome::ended;
  }
  recorded.took_effect();
  if (to == timer_state::armed) {
    // Never into this pass: a timer runs at most once in it, unless it is critical.
    mine.driving->reinsert(index, running);
  } else {
    if (group != nullptr && time == forever) time = later_by(offset, next);  // as in publish_owned()
    submit_either(core, mine, submission::make(submission::kind::arm, state_word::generation(word), index), time,
                  is_critical);
  }
  if ((word & state_word::waiter) != 0) core.waiters.notify();
  return outcome::armed_again;
}

// Called for a periodic timer. Its run is missed, as one whose time has passed, and the timer continues. It does not
// count among a limited number of runs.
DETENT_COLD void miss_handed_over(engine_core& core, node_index index, std::uint64_t word) noexcept {
  std::uint64_t firing = word;
  if (start_dispatched(core.node_at(index).pair, firing) == transition::lost) return;
  record_lease mine(core.threads);
  const nanoseconds_t now = core.time.certain();
  base::show_acquire(&core.node_at(index));
  const run_scope scope(timer_access::make(&core, index, state_word::generation(word)));
  run_details due;
  const group_offset offset = describe_due(core, index, now, due);
  begin_period_of(core, index, word, now, offset, due);
  core.seen.record_drop(index, word, now);
  core.seen.missed(*mine, due.missed + 1, due.label);
  finish_run(core, *mine, index, word, scope, due);
}

}  // namespace

void begin_any(engine_core& core, thread_record& mine, node_index index, std::uint64_t& word, nanoseconds_t started,
               run_details& due) noexcept {
  if ((word & state_word::cold) != 0) [[unlikely]]
    begin_cold(core, mine, index, word, started, due);
  if (!due.dropped && (word & state_word::periodic) == 0) begin_last(core, mine, index, word);
}

DETENT_NOINLINE void drop_stale(engine_core& core, thread_record& mine, node_index index, std::uint64_t word,
                                nanoseconds_t now, label_block* label) noexcept {
  const run_scope inside(timer_access::make(&core, index, state_word::generation(word)));  // its captures end in it
  core.seen.record_drop(index, word, now);
  end_pending(core, index, word);
  end_timer(core, mine, index, core.node_at(index), counter::dropped, label);
}

void finish_run(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, const run_scope& scope,
                const run_details& due) noexcept {
  const bool periodic = (word & state_word::periodic) != 0;
  if ((scope.rearmed() || periodic) && !due.used_up &&
      run_again(core, mine, index, word, scope) == outcome::armed_again)
    return;
  if (periodic) begin_last(core, mine, index, word);
  // Relaxed: if this run ended the engine, this very thread did; else another did, and the counts no longer matter.
  bool given_back = core.abandoned.load(base::relaxed) && periodic;
  // A one-shot has run; a periodic one that does not go on by itself has been cancelled.
  end_timer(core, mine, index, core.node_at(index),
            due.used_up || !periodic ? counter::expired
            : given_back             ? counter::returned
                                     : counter::cancelled_running,
            due.label);
}

bool run(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, nanoseconds_t& now,
         arrival came) {
  node& running = core.node_at(index);
  return run_as<run_kind::any>(core, mine, {index, running, word, deadline_of(running.pair)}, now, came);
}

bool run_handed_over(engine_core& core, node_index index, std::uint64_t word, std::uint32_t order,
                     const lateness_parts& late) noexcept {
  if (core.is_forked()) return false;  // the run is the parent's
  group_run in_group;
  if ((word & state_word::cold) != 0) {
    if (goes_back(core, index, word)) {
      put_back(core, index, word, order);
      return false;
    }
    if (!begin_in_group(core, in_group, index, word)) return false;
  }
  std::uint64_t running = word;
  if (start_dispatched(core.node_at(index).pair, running) == transition::lost) return false;
  record_lease mine(core.threads);
  // Whenever it was handed over, and also where the thread drives with another record than its own.
  turn_port* const turn = core.life.turn_port_of(std::this_thread::get_id());
  if (turn != nullptr) turn->note_run(core.node_at(index));
  nanoseconds_t now = core.time.certain();
  const lateness_parts until = late;  // the fired_timer may end in the callback
  const bool ran = run(core, *mine, index, word, now, arrival(until));
  if (ran && turn != nullptr) turn->count_run();
  return ran;
}

DETENT_COLD void drop_handed_over(engine_core& core, node_index index, std::uint64_t word) noexcept {
  if ((word & state_word::cold) != 0 && !core.is_forked()) {
    if (is_cancelled_in_group(core, index)) {
      cancel(core, index, state_word::generation(word), false);
      return;
    }
    if ((word & state_word::periodic) != 0) return miss_handed_over(core, index, word);
  }
  node& dropped = core.node_at(index);
  if (drop(dropped.pair, word) == transition::lost) return;
  record_lease mine(core.threads);
  core.seen.record_drop(index, word, core.time.certain());
  base::show_acquire(&dropped);
  destroy_callable(*dropped.ops, dropped.capture);
  core.waiters.show_end(&dropped);
  label_block* const label = label_of(core, index, word);
  end_pending(core, index, word);
  core.seen.ended(*mine, counter::dropped, label);
  free_node(core, *mine, index, dropped);
}

}  // namespace detent::detail
