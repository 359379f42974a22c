// SPDX-License-Identifier: MIT
// One run of one timer, on whichever thread.
#include "engine/engine_core.hpp"
#include "observe/probes.hpp"
#include "timer/periodic.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <exception>

namespace detent::detail {
namespace {

// How a label counts an end.
label_counter end_for_label(counter category) noexcept {
  switch (category) {
    case counter::expired: return label_counter::expired;
    case counter::returned: return label_counter::returned;
    case counter::dropped: return label_counter::dropped;
    default: return label_counter::cancelled;
  }
}

void count_missed(thread_record& record, std::uint64_t periods, label_block* label) noexcept {
  record.counts.add(counter::missed, periods);
  if (label != nullptr) label->add(label_counter::missed, periods);
}

}  // namespace

// It is firing, and this thread's; `word` is what it fires by, as armed or handed over. `now` is a reading of the
// clock, not before the deadline; then another one, after the run. False: it was stale, and dropped.
bool engine_core::run(thread_record& record, node_index index, std::uint64_t word, nanoseconds_t& now,
                      arrival came) noexcept {
  const nanoseconds_t started = now;
  node& running = node_at(index);
  base::show_acquire(&running);
  const bool periodic = (word & state_word::periodic) != 0;
  period_run stands_for{deadline_of(running.pair), 0};
  nanoseconds_t due = stands_for.deadline;  // the earliest that has not been met: it is late by that one
  run_scope scope(this, index, state_word::generation(word));
  label_block* label = nullptr;
  std::uint32_t label_number = 0;  // for the probe
  bool stale = false, used_up = false;
  if ((word & state_word::cold) != 0) {
    cold_node& cold = cold_at(index);
    label = labels_.find(cold);
    label_number = cold.label();
    // A group's member lives by the group's time; the run's is the engine's. No further behind than where it was due:
    // if the group is paused at this moment, its time stands still.
    const nanoseconds_t behind =
        std::min(behind_of_group(index), subtract_saturated(ticks_.round_down(started), stands_for.deadline));
    due = stands_for.deadline = ticks_.round_up(later_by(behind, stands_for.deadline));
    if (periodic) {
      cold.grid = later_by(behind, cold.grid);
      // Restarted since it was armed: the grid is anchored at the new deadline, even where that is the old one.
      if ((word & state_word::moved) != 0) cold.grid = stands_for.deadline;
      stands_for = begin_period(cold, due, started, ticks_);
      if (stands_for.missed != 0) count_missed(record, stands_for.missed, label);
      cold.grid = earlier_by(behind, cold.grid);
      used_up = cold.runs_left != 0 && --cold.runs_left == 0;
      if (used_up) set_last(running.pair, word);
    } else if (subtract_saturated(started, due) > cold.max_lateness) {
      probes::late(this, index, word, due, subtract_saturated(started, due), cold.stale == stale_policy::drop);
      if (cold.stale == stale_policy::drop) {
        if (recorder_ != nullptr) recorder_->ended(operation_kind::drop, index, state_word::generation(word), started);
        end_pending(index, word);
        end_timer(record, index, word, counter::dropped, label);
        now = time_.certain();
        return false;
      }
      stale = true;
    }
  }
  if (!periodic) {
    record.counts.add(counter::started_last);
    end_pending(index, word);
  }
  scope.describe(stands_for.deadline, started, stands_for.missed, stale);
  const nanoseconds_t late = std::max<nanoseconds_t>(subtract_saturated(started, due), 0);
  if (!record.rehearses) [[likely]]
    probes::fire(this, index, word, due, late, label_number);
  record.counts.add(counter::fired);
  ledger_.start(due, late, came, label);
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->ended(operation_kind::fire, index, state_word::generation(word), started);
  // Noted now: behind the run the node may be another timer's.
  const origin where = captures_origin_ ? nodes_.origin_of(index) : origin::unknown();
  invoke(record, running, scope, label);
  if (!record.rehearses) [[likely]]
    probes::done(this, index, word);
  // Before anybody who waits for the end of the run goes on.
  if (options_.slow_threshold != (duration::max)()) [[unlikely]]
    tell_if_slow(record, {labels_.named(label), duration(subtract_saturated(time_.certain(), started)),
                          to_time(stands_for.deadline), where.file(), where.line()});
  finish_run(record, index, word, scope, used_up, label);
  now = time_.certain();
  ledger_.end(started, now, label);
  return true;
}

// The callback has returned: it goes on, or ends.
inline void engine_core::finish_run(thread_record& record, node_index index, std::uint64_t word, run_scope& scope,
                                    bool used_up, label_block* label) noexcept {
  const bool periodic = (word & state_word::periodic) != 0;
  if ((scope.rearmed() || periodic) && !used_up && run_again(record, index, word, scope) == outcome::armed_again)
    return;
  if (periodic) {
    record.counts.add(counter::started_last);
    end_pending(index, word);
  }
  // Relaxed: if this run ended the engine, by this very thread; else another did and counts for nobody any more.
  bool given_back = abandoned_.load(base::relaxed) && periodic;
  // A one-shot has run; a periodic one that does not go on by itself has been cancelled.
  end_timer(record, index, word,
            used_up || !periodic ? counter::expired
            : given_back         ? counter::returned
                                 : counter::cancelled_running,
            label);
}

void engine_core::invoke(thread_record& record, node& running, run_scope& scope, label_block* label) noexcept {
  try {
    running.ops->invoke(running.capture, scope.view());
  } catch (...) {
    record.counts.add(counter::failed);
    if (label != nullptr) label->add(label_counter::failed);
    report(std::current_exception());
  }
}

void engine_core::report(const std::exception_ptr& failure) noexcept {
  try {
    if (options_.on_error) return options_.on_error(failure);
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "detent: engine \"%s\": a callback threw: %s\n", options_.name.c_str(), error.what());
  } catch (...) {
    std::fprintf(stderr, "detent: engine \"%s\": a callback threw\n", options_.name.c_str());
  }
}

// For the recording of what run_again() is about to try.
[[gnu::noinline, gnu::cold]] operation engine_core::note_arming(node_index index, std::uint64_t word,
                                                                const run_scope& scope, nanoseconds_t next,
                                                                nanoseconds_t behind) const noexcept {
  return {.deadline = later_by(behind, next),
          .id = recorder::id_of(index, state_word::generation(word)),
          .group = (word & state_word::cold) != 0 ? nodes_.group_of(index) : nullptr,
          .kind = scope.rearmed() ? operation_kind::rearm : operation_kind::period};
}

// The next arming of the same node: re-armed by its callback, or the next period.
engine_core::outcome engine_core::run_again(thread_record& record, node_index index, std::uint64_t word,
                                            run_scope& scope) noexcept {
  if (abandoned_.load(base::relaxed)) return outcome::ended;  // relaxed: as in run()
  node& running = node_at(index);
  const bool periodic = (word & state_word::periodic) != 0;
  const group_state* group = (word & state_word::cold) != 0 ? nodes_.group_of(index) : nullptr;
  const nanoseconds_t behind = group != nullptr ? group->behind(time_) : 0;
  const nanoseconds_t next = scope.rearmed() ? earlier_by(behind, scope.rearm_deadline())
                                             : next_period(cold_at(index), earlier_by(behind, time_.not_before_now()));
  const std::uint32_t order = record.next_order++ & state_word::order_mask;
  if (periodic && scope.rearmed()) cold_at(index).grid = next;
  if (!periodic) {  // pending once more, before anybody can cancel it; may exceed the capacity
    record.counts.add(counter::revived);
    if (options_.capacity != 0) places_taken_.fetch_add(1, base::relaxed);  // relaxed: as in take_place()
    if ((word & state_word::cold) != 0) rejoin(index);
  }
  const nanoseconds_t deadline = group == nullptr ? ticks_.round_up(next) : next;
  nanoseconds_t time = nodes_.filing_time(index, word, deadline);
  timer_state to = record.driving ? timer_state::armed : timer_state::queued;
  recorded_attempt recorded(recorder_.get(), [&] { return note_arming(index, word, scope, next, behind); });
  runs_.show_end(&running);
  if (rearm(running.pair, word, to, deadline, order) == transition::lost) {
    if (!periodic) {
      record.counts.add(counter::started_last);
      end_pending(index, word);
    }
    return outcome::ended;
  }
  recorded.took_effect();
  if (to == timer_state::armed) {
    // Never into this pass: a timer runs at most once in it, unless it comes due in a higher lane meanwhile.
    put_in_wheel(index, running, word, time);
  } else {
    if (group != nullptr && time == forever) time = later_by(behind, next);  // as in publish_owned()
    submit(record, submission::make(submission::kind::arm, state_word::generation(word), index), time);
  }
  if ((word & state_word::waiter) != 0) runs_.tell();
  return outcome::armed_again;
}

// Counts before it lets go: whoever waited for this end finds the counts right.
void engine_core::end_timer(thread_record& record, node_index index, std::uint64_t word, counter category,
                            label_block* label) noexcept {
  node& running = node_at(index);
  destroy_callable(*running.ops, running.capture);
  record.counts.add(category);
  if (label != nullptr) label->add(end_for_label(category));
  runs_.show_end(&running);
  word = observe(running.pair);
  while (end_run(running.pair, word) == transition::lost) {  // marked meanwhile
  }
  if (state_word::used_up(word)) {
    record.counts.add(counter::retired);
  } else {
    pool_.free(record.cache, index);
  }
  if ((word & state_word::waiter) != 0) runs_.tell();
}

}  // namespace detent::detail
