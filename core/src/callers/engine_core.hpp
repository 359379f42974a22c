// SPDX-License-Identifier: MIT
// The part of an engine that any thread may touch. The wheel is not here: it belongs to the driver, and the way to it
// is the driver_port that a thread's record holds while that thread drives (threads/thread_record.hpp).
#pragma once

#include <detent/alloc/page_source.hpp>
#include <detent/options.hpp>

#include "callers/capacity.hpp"
#include "callers/executor_table.hpp"
#include "callers/inbox.hpp"
#include "counters/label_store.hpp"
#include "groups/group_store.hpp"
#include "groups/node_view.hpp"
#include "limits.hpp"
#include "observe/recording_port.hpp"
#include "observe/run_ledger.hpp"
#include "observe/transitions.hpp"
#include "platform/clock_choice.hpp"
#include "platform/clock_reader.hpp"
#include "threads/lifecycle.hpp"
#include "threads/thread_registry.hpp"
#include "timer/run_waiters.hpp"

namespace detent::detail {

// The parts of the library that an engine needs by its options alone; null if the options do not ask for them. An
// engine that is made without options gets none, so a program that makes no other is linked without them.
struct optional_parts {
  counters_file_maker make_counters_file = nullptr;
  recording_opener open_recording = nullptr;
};

// Each part is safe for any thread by itself. The core is reference-counted, because a callback may destroy the engine,
// and a fired_timer may outlive it. The operations are functions: schedule.cpp, cancel.cpp and so on.
class engine_core {
 public:
  // The options must have been checked. Throws bad_alloc.
  engine_core(engine_options made_with, const optional_parts& parts);
  virtual ~engine_core();
  engine_core(const engine_core&) = delete;
  engine_core& operator=(const engine_core&) = delete;

  void add_reference() noexcept;
  // The last one deletes the core.
  void drop_reference() noexcept;

  node& node_at(node_index index) const noexcept { return *static_cast<node*>(pool.hot(index)); }
  cold_node& cold_at(node_index index) const noexcept { return *static_cast<cold_node*>(pool.cold(index)); }
  std::uint64_t number() const noexcept { return threads.engine(); }  // no other engine ever has the same
  bool is_forked() const noexcept { return life.now() == lifecycle::phase::forked; }  // by a fork of this very process
  bool stopped() const noexcept { return life.is_over(); }
  // The time that users get. With a TSC that they did not ask for, no deadline made from it is early by steady_clock.
  nanoseconds_t reported_time() const noexcept {
    return options.clock == clock_kind::tsc ? time.now() : time.certain();
  }
  // Why a call is refused; errc{} if it is not.
  errc refusal() const noexcept;
  // Called in the child of a fork: refuses everything from now on. The caller holds the lock of the list of engines.
  void disown() noexcept;

  executor_table executors;
  const engine_options options;  // without the executors
  const bool runs_inline;
  const bool runs_straight;  // a timer without a cold part needs only counts and probes
  const tick_grid ticks;
  const clock_choice by;  // the clock that `time` reads
  const clock_reader time;
  const bool captures_origin;
  base::atomic<std::uint32_t> references{1};
  lifecycle life;
  alloc::page_source pages;
  node_pool pool;
  inbox in;
  transitions seen;
  counters_block counts;
  label_store labels;
  thread_registry threads;
  group_store groups;
  capacity places;
  base::atomic<bool> critical_in_use{false};  // a critical timer has been scheduled, or is about to be
  run_waiters waiters;
  const node_view nodes;
  run_ledger ledger;
  base::atomic<bool> abandoned{false};  // destroyed in a callback: nothing is re-armed any more
};

// Gives an entry of the bulk to the driver, which must process it by `deadline`, and rings if the driver would come
// later. It is here and not in the inbox, because the fast path would keep the inbox's address for calls that it does
// not make.
inline void push_entry(engine_core& core, thread_record& mine, std::uint64_t entry, nanoseconds_t deadline) noexcept {
  submission_queue& queue = core.in.queue_;
  const bool pushed = queue.push(mine.pushed, entry);
  if (has_to_ring(core.in.bell_, core.in.rescan_, deadline, pushed, [&] { return queue.mark_if_needed(mine.pushed); }))
      [[unlikely]]
    core.in.ring_for_earlier(mine, deadline);
  if (--mine.until_report == 0) [[unlikely]] {
    mine.until_report = limits::report_every;
    core.in.report_pushes(mine, limits::report_every);
  }
}
// Does the same as a function that is not inlined, for any timer.
void submit(engine_core& core, thread_record& mine, std::uint64_t entry, nanoseconds_t deadline) noexcept;
void submit_either(engine_core& core, thread_record& mine, std::uint64_t entry, nanoseconds_t deadline,
                   bool is_critical) noexcept;

}  // namespace detent::detail
