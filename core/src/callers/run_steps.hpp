// SPDX-License-Identifier: MIT
// The steps of a run, inlined where a timer has nothing but them.
#pragma once

#include <detent/base/forced_unwind.hpp>

#include "callers/engine_core.hpp"
#include "timer/periodic.hpp"
#include "timer/run_scope.hpp"

#include <algorithm>

namespace detent::detail {

enum class outcome : std::uint8_t { ended, armed_again };

// The next arming of the same node: re-armed by its callback, or the next period.
outcome run_again(engine_core& core, thread_record& mine, node_index index, std::uint64_t word,
                  const run_scope& scope) noexcept;
// The deadline that a run is for. A plain one-shot has nothing else; the rest is what few timers have.
struct run_details {
  nanoseconds_t deadline = 0;
  nanoseconds_t unmet = 0;  // the earliest deadline that has not been met: it is late by that one
  std::uint64_t missed = 0;
  label_block* label = nullptr;
  std::uint32_t label_number = 0;  // for the probe
  bool stale = false;
  bool dropped = false;  // for being stale
  bool used_up = false;  // the last of a limited number of runs
};

// A timer that is firing by `word`, as armed.
struct started_run {
  node_index index;
  node& running;
  std::uint64_t word;
  nanoseconds_t deadline;
};

// The callback has returned: the timer goes on, or ends.
void finish_run(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, const run_scope& scope,
                const run_details& due) noexcept;
// Of a callback that has thrown: counts and reports it. Inside the handler.
void report_failure(engine_core& core, thread_record& mine, label_block* label) noexcept;

// Ends the run of a callback that ends its thread, as if the callback had returned; the pass ends with the thread. A
// thread that is not the caller's own cannot end alone: a line on stderr says so, and the process ends.
void end_unwound(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, const run_scope& scope,
                 nanoseconds_t started, const run_details& due) noexcept;
// Counts the run's lateness first. The values are passed one by one, as an object of them would be kept in memory
// during each callback.
void end_unwound(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, const run_scope& scope,
                 nanoseconds_t started, nanoseconds_t late, const lateness_split& split,
                 std::uint32_t taken_up) noexcept;

template <class... ForEnd>
[[gnu::always_inline]] inline void invoke(engine_core& core, thread_record& mine, node_index index, std::uint64_t word,
                                          node& running, run_scope& scope, label_block* label, const ForEnd&... end) {
  try {
    running.ops->invoke(running.capture, scope.view());
  } catch (const base::forced_unwind&) {
    end_unwound(core, mine, index, word, scope, end...);
    throw;
  } catch (...) {
    report_failure(core, mine, label);
  }
}

// Counts before it publishes the end: a thread that waited for this end finds the counts right.
[[gnu::always_inline]] inline void end_timer(engine_core& core, thread_record& mine, node_index index, node& running,
                                             counter how, label_block* label) noexcept {
  destroy_callable(*running.ops, running.capture);
  core.seen.ended(mine, how, label);
  core.waiters.show_end(&running);
  std::uint64_t word = observe(running.pair);
  while (end_firing(running.pair, word) == transition::lost) {  // it has been marked since
  }
  if (state_word::used_up(word)) [[unlikely]] {
    mine.counts.add(counter::retired);
  } else {
    core.pool.free(mine.cache, index);
  }
  if ((word & state_word::waiter) != 0) [[unlikely]]
    core.waiters.notify();
}

// When the clock is read after a run: at once, as what follows the callback finds nothing in the caches and would count
// as the callback's; or when everything is done, as the next run of the pass begins by that reading.
enum class end_reading : std::uint8_t { first, last };

// The short way of run() (run.hpp), for a timer without a cold part in an engine that runs_straight: its callback comes
// before what is counted of its lateness. The reading after the run is never later than the true time.
[[gnu::always_inline]] inline void run_straight(engine_core& core, thread_record& mine, const started_run& of,
                                                nanoseconds_t& now, arrival came, end_reading read) {
  const auto end = [&, started = now] {
    now = core.time.after(started);
    core.ledger.end(started, now, nullptr);
  };
  const nanoseconds_t started = now;
  node& running = of.running;
  run_scope scope(&core, of.index, state_word::generation(of.word));
  core.seen.started_last(mine);
  scope.describe(of.deadline, started, 0, false);
  const nanoseconds_t late = std::max<nanoseconds_t>(subtract_saturated(started, of.deadline), 0);
  core.seen.fires(mine, of.index, of.word, of.deadline, late, 0);
  invoke(core, mine, of.index, of.word, running, scope, nullptr, started, late, came.split(), came.taken_up());
  if (read == end_reading::first) end();
  core.seen.ran(of.index, of.word);
  // Only now, as the callback is what is waited for; but before the end of the run, which others may wait for.
  core.ledger.start(of.deadline, late, came, nullptr);
  if (!scope.rearmed() || run_again(core, mine, of.index, of.word, scope) == outcome::ended) [[likely]]
    end_timer(core, mine, of.index, running, counter::expired, nullptr);
  if (read == end_reading::last) end();
}

// Whether only the period sets the runs of a periodic timer apart from those of one without a cold part. A
// critical one is submitted again, so that an interlude ends.
inline bool has_plain_period(const engine_core& core, node_index index) noexcept {
  const cold_node& cold = core.cold_at(index);
  if (cold.kind != period_kind::fixed_rate || cold.runs_left != 0 || cold.label() != 0 || cold.is_critical())
    return false;
  const group_state* group = cold.group();
  return group == nullptr || group->offset(core.time).ns == 0;
}

// The same run of a timer with such a period, `due` at its deadline on the tick: it is armed again in its place, by
// reinsert(index, node). If it was restarted, or its callback has done anything about it, it goes on as any other.
template <class Reinsert>
[[gnu::always_inline]] inline void run_period(engine_core& core, thread_record& mine, const started_run& of,
                                              nanoseconds_t& now, arrival came, Reinsert&& reinsert) {
  const nanoseconds_t started = now;
  node& running = of.running;
  cold_node& cold = core.cold_at(of.index);
  run_scope scope(&core, of.index, state_word::generation(of.word));
  // Restarted since it was armed: the grid is anchored at the new deadline, even where that is the old one.
  if ((of.word & state_word::moved) != 0) [[unlikely]]
    cold.grid = of.deadline;
  const period_run period = begin_period(cold, of.deadline, started, core.ticks);
  if (period.missed != 0) [[unlikely]]
    core.seen.missed(mine, period.missed, nullptr);
  scope.describe(period.deadline, started, period.missed, false);
  const nanoseconds_t late = std::max<nanoseconds_t>(subtract_saturated(started, of.deadline), 0);
  core.seen.fires(mine, of.index, of.word, of.deadline, late, 0);
  invoke(core, mine, of.index, of.word, running, scope, nullptr, started, late, came.split(), came.taken_up());
  core.seen.ran(of.index, of.word);
  core.ledger.start(of.deadline, late, came, nullptr);
  // Relaxed: as in finish_run().
  if (scope.rearmed() || core.abandoned.load(base::relaxed)) [[unlikely]] {
    finish_run(core, mine, of.index, of.word, scope, {});
  } else {
    const nanoseconds_t next = cold.group() == nullptr ? core.ticks.round_up(cold.grid) : cold.grid;
    std::uint64_t word = of.word;
    if (rearm(running.pair, word, timer_state::armed, next, mine.next_order++ & state_word::order_mask) ==
        transition::lost) [[unlikely]] {
      finish_run(core, mine, of.index, word, scope, {});
    } else {
      reinsert(of.index, running);
      if ((word & state_word::waiter) != 0) [[unlikely]]
        core.waiters.notify();
    }
  }
  now = core.time.after(started);
  core.ledger.end(started, now, nullptr);
}

}  // namespace detent::detail
