// SPDX-License-Identifier: MIT
// One run of one timer on any thread, and the steps after it. The kind of the run decides at compile time which steps
// it has.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/base/forced_unwind.hpp>

#include "callers/engine_core.hpp"
#include "timer/periodic.hpp"
#include "timer/run_scope.hpp"

#include <algorithm>
#include <cstddef>

namespace detent::detail {

// The parts that a run has besides its callback.
enum class run_kind : std::uint8_t {
  straight,  // none: no cold part, in an engine that runs_straight
  period,    // a period, and nothing else of a cold part that counts (has_plain_period()), in such an engine
  any        // all that a cold part or an option of the engine can require
};

// When the clock is read after a run. At once, because the steps after the callback find nothing in the caches and
// would count as the callback's. Or when everything is done, because the next run of the pass begins by that reading.
enum class end_reading : std::uint8_t { first, last };

// A timer that fires by `word`, as armed or handed over.
struct started_run {
  node_index index;
  node& running;
  std::uint64_t word;
  nanoseconds_t deadline;
};

// The deadline that a run stands for. A plain one-shot has nothing else; the rest is for few timers.
struct run_details {
  nanoseconds_t deadline = 0;
  nanoseconds_t unmet = 0;  // the earliest deadline that has not been met: it is late by that one
  std::uint64_t missed = 0;
  label_block* label = nullptr;
  std::uint32_t label_number = 0;  // for the probe
  bool stale = false;
  bool dropped = false;  // because it was stale
  bool used_up = false;  // the last of a limited number of runs
};

// --- The steps that are not inlined

// Begins a run of any kind: decides what it stands for, and whether it is the last. `word` is replaced if that changes
// it.
void begin_any(engine_core& core, thread_record& mine, node_index index, std::uint64_t& word, nanoseconds_t started,
               run_details& due) noexcept;
// Ends a timer that is dropped for being stale, in place of its run.
void drop_stale(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, nanoseconds_t now,
                label_block* label) noexcept;
void report_if_slow(engine_core& core, thread_record& mine, const slow_callback& ran) noexcept;
// The callback has returned: continues the timer, or ends it.
void finish_run(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, const run_scope& scope,
                const run_details& due) noexcept;
// Called in the handler of a callback that has thrown: counts and reports it. It finds the run as the thread's
// innermost one, because a handler that named it would have its address kept in memory during each callback.
void report_failure(engine_core& core, thread_record& mine, label_block* label, origin where) noexcept;
void report_failure(engine_core& core, thread_record& mine, label_block* label) noexcept;
// Does so for a coroutine that goes on because its timer has ended without a run, when the timer's label, tag and
// origin are gone.
void report_failure_after_end(engine_core& core, thread_record& mine) noexcept;
// Ends the run of a callback that ends its thread, as if the callback had returned; the pass ends with the thread. A
// thread that is not the caller's own cannot end alone: this prints a line that says so, and ends the process.
void end_unwound(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, const run_scope& scope,
                 nanoseconds_t started, nanoseconds_t late, arrival came, const run_details& due) noexcept;

// --- The steps that are inlined

// Counts before it publishes the end: a thread that waited for this end finds the counts right.
DETENT_ALWAYS_INLINE inline void end_timer(engine_core& core, thread_record& mine, node_index index, node& running,
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

// Returns whether only the period distinguishes a periodic timer's runs from those of a timer without a cold part. A
// critical timer is submitted again, so that an interlude ends.
inline bool has_plain_period(const engine_core& core, node_index index) noexcept {
  const cold_node& cold = core.cold_at(index);
  if (cold.kind != period_kind::fixed_rate || cold.runs_left != 0 || cold.label() != 0 || cold.is_critical())
    return false;
  const group_state* group = cold.group();
  return group == nullptr || group->offset(core.time).ns == 0;
}

// Begins a run of such a timer, which is due at its deadline on the tick.
DETENT_ALWAYS_INLINE inline void begin_plain_period(engine_core& core, thread_record& mine, const started_run& of,
                                                    nanoseconds_t started, run_details& due) noexcept {
  cold_node& cold = core.cold_at(of.index);
  // It was restarted since it was armed: the grid is anchored at the new deadline, even if that equals the old one.
  if ((of.word & state_word::moved) != 0) [[unlikely]]
    cold.grid = of.deadline;
  const period_run period = begin_period(cold, of.deadline, started, core.ticks);
  if (period.missed != 0) [[unlikely]]
    core.seen.missed(mine, period.missed, nullptr);
  due.deadline = period.deadline;
  due.missed = period.missed;
}

// Ends the run and arms the timer for its next period in the same place, by reinsert(index, node). Returns false if a
// caller has restarted the timer during the run.
template <class Reinsert>
DETENT_ALWAYS_INLINE inline bool go_on_in_place(engine_core& core, thread_record& mine, const started_run& of,
                                                Reinsert&& reinsert) noexcept {
  const cold_node& cold = core.cold_at(of.index);
  const nanoseconds_t next = cold.group() == nullptr ? core.ticks.round_up(cold.grid) : cold.grid;
  std::uint64_t word = of.word;
  if (rearm(of.running.pair, word, timer_state::armed, next, mine.next_order++ & state_word::order_mask) ==
      transition::lost) [[unlikely]]
    return false;
  reinsert(of.index, of.running);
  if ((word & state_word::waiter) != 0) [[unlikely]]
    core.waiters.notify();
  return true;
}

// Names only what a run of its kind keeps anyway: the rest would be kept in memory during each callback.
template <run_kind Kind>
DETENT_ALWAYS_INLINE inline void report_failure(engine_core& core, thread_record& mine, const run_details& due,
                                                const origin& where) noexcept {
  if constexpr (Kind == run_kind::any) {
    report_failure(core, mine, due.label, where);
  } else {
    report_failure(core, mine, due.label);
  }
}

// --- The body, and calls of it that are not inlined

// Runs a timer that is firing and belongs to this thread. `word` is the word by which it fires, as armed or handed
// over. The rest is as in run_as().
bool run(engine_core& core, thread_record& mine, node_index index, std::uint64_t word, nanoseconds_t& now,
         arrival came);

// An executor's two calls for a timer that it was given; `word` is the arming at the hand-over. Neither does anything
// if the timer was cancelled, restarted or returned since. `order` is the one that it had before, `late` its lateness
// then. Returns false if its callback has not run.
bool run_handed_over(engine_core& core, node_index index, std::uint64_t word, std::uint32_t order,
                     const lateness_parts& late) noexcept;
void drop_handed_over(engine_core& core, node_index index, std::uint64_t word) noexcept;

// `now` is a reading of the clock, not before the deadline; after the run it is another one. A period has reinsert().
// Returns false if the timer was stale, and dropped. Throws nothing but the end of its thread (end_unwound()).
template <run_kind Kind, end_reading Read = end_reading::last, class Reinsert = std::nullptr_t>
DETENT_ALWAYS_INLINE inline bool run_as(engine_core& core, thread_record& mine, const started_run& of,
                                        nanoseconds_t& now, arrival came, Reinsert&& reinsert = nullptr) {
  constexpr bool is_any = Kind == run_kind::any;
  const nanoseconds_t started = now;
  std::uint64_t word = of.word;
  run_details due{.deadline = of.deadline, .unmet = of.deadline};
  if constexpr (Kind == run_kind::straight) {
    core.seen.started_last(mine);
  } else if constexpr (Kind == run_kind::period) {
    begin_plain_period(core, mine, of, started, due);
  } else {
    base::show_acquire(&of.running);
    begin_any(core, mine, of.index, word, started, due);
    if (due.dropped) {
      drop_stale(core, mine, of.index, word, started, due.label);
      now = core.time.certain();
      return false;
    }
  }
  const nanoseconds_t late = std::max<nanoseconds_t>(subtract_saturated(started, due.unmet), 0);
  core.seen.fires(mine, of.index, word, due.unmet, late, due.label, due.label_number);
  if constexpr (is_any) core.seen.record_run(of.index, word, started);
  // Noted now, because after the run the node may be another timer's.
  const origin where = is_any && core.captures_origin ? core.nodes.origin_of(of.index) : origin::unknown();
  run_scope scope(timer_access::make(&core, of.index, state_word::generation(word)), due.deadline, started, due.missed,
                  due.stale);

  try {
    of.running.ops->invoke(of.running.capture, scope.view());
  } catch (const base::forced_unwind&) {
    if constexpr (is_any) {
      end_unwound(core, mine, of.index, word, scope, started, late, came, due);
    } else {  // without `due`, which would be kept in memory during each callback
      end_unwound(core, mine, of.index, word, scope, started, late, came, {.unmet = subtract_saturated(started, late)});
    }
    throw;
  } catch (...) {
    report_failure<Kind>(core, mine, due, where);
  }

  constexpr bool reads_first = is_any || Read == end_reading::first;
  if constexpr (reads_first) now = core.time.after(started);
  core.seen.ran(of.index, word);
  // Recorded only now, so that the callback does not wait for it; but before the end of the run, for which others may
  // wait, and before the callback's time, so that a reader finds no more callback times than latenesses.
  core.ledger.start(due.unmet, late, came, due.label);
  if constexpr (reads_first) core.ledger.end(started, now, due.label);
  if constexpr (Kind == run_kind::straight) {
    if (!scope.rearmed()) [[likely]] {
      end_timer(core, mine, of.index, of.running, counter::expired, nullptr);
    } else {
      finish_run(core, mine, of.index, word, scope, {});
    }
  } else if constexpr (Kind == run_kind::period) {
    // Relaxed: as in finish_run().
    if (scope.rearmed() || core.abandoned.load(base::relaxed) || !go_on_in_place(core, mine, of, reinsert)) [[unlikely]]
      finish_run(core, mine, of.index, word, scope, {});
  } else {
    if (core.options.slow_threshold != (duration::max)()) [[unlikely]]  // before a thread that waits for it goes on
      report_if_slow(
          core, mine,
          {core.labels.named(due.label), scope.view().tag(), duration(subtract_saturated(core.time.certain(), started)),
           to_time(due.deadline), where.file(), where.line()});
    finish_run(core, mine, of.index, word, scope, due);
    now = core.time.certain();
  }
  if constexpr (!reads_first) core.ledger.end(started, now = core.time.after(started), nullptr);
  return true;
}

}  // namespace detent::detail
