// SPDX-License-Identifier: MIT
// The state that a thread keeps for an engine: free nodes, its place in the submission queue, arming order, counts.
#pragma once

#include <detent/alloc/slot_cache.hpp>
#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>
#include "threads/thread_link.hpp"

#include "counters/counters_block.hpp"
#include "limits.hpp"
#include "submission/submission_queue.hpp"
#include "threads/call_hazard.hpp"

#include <array>
#include <cstdint>
#include <thread>

namespace detent::detail {

class driver_port;
struct thread_record;

// The parts of an engine with which its records are made, and the steps when a record's thread or its engine ends.
struct thread_host {
  void* engine;  // only an address: what fast_path() compares
  counters_block& counts;
  bool (*enrol)(void* engine, producer& made) noexcept;  // in the submission queue; false: no memory
  void (*take_leave)(void* engine, thread_record& leaving) noexcept;
  void (*retire)(void* engine, thread_record& old) noexcept;  // the thread may be in take_leave
};

// The fast paths of calls that are open to a thread that holds a record.
enum class fast_paths : std::uint8_t {
  none,        // it drives the engine itself; or the engine has a bound, or has been stopped, or has ended
  some,        // those that need not know the tick
  exact_ticks  // all of them: the tick is 1 ns
};

// Cancelled timers that have not been announced to the driver yet.
struct reap_batch {
  std::array<std::uint64_t, limits::reap_batch> entries;
  std::size_t count = 0;  // below the size, but while it is being pushed
};

// Belongs to the thread that holds it, and passes to another when the thread ends. So threads that come and go leak
// neither memory nor places in the queue.
struct alignas(64) thread_record {
  thread_record(const thread_host& made_for, std::uint64_t of, counter_cell* cells, std::uint32_t first_order) noexcept
      : next_order(first_order),
        host(&made_for),
        enrolled(made_for.enrol(made_for.engine, pushed)),
        counts(cells),
        engine(of) {}

  // The queue of critical timers has ended, or ends with this.
  ~thread_record() { delete critical.load(base::relaxed); }  // relaxed: no other thread is left
  thread_record(const thread_record&) = delete;
  thread_record& operator=(const thread_record&) = delete;

  alloc::slot_cache cache;
  std::uint32_t next_order;
  std::uint32_t until_report = limits::report_every;  // pushes left until the shared count is updated
  call_hazard hazard;                                 // raised while the end of the engine must wait for this thread
  const thread_host* const host;                      // dead with the engine
  producer pushed;                                    // its part of the submission queue
  base::atomic<producer*> critical{nullptr};          // its part of the critical timers' queue; made when it is needed
  const bool enrolled;                                // there was memory for a place in the first queue
  base::atomic<fast_paths> open{fast_paths::none};    // set by this thread, or by the one that ends the engine
  bool lent = false;                                  // for the length of a call (thread_registry.hpp)
  thread_link link;
  driver_port* driving = nullptr;           // while this thread turns the wheel: its calls go straight there
  base::atomic<std::thread::id> lent_to{};  // unless it is the spare one
  reap_batch* reaps = nullptr;              // while this thread cancels many at once
  counters counts;                          // in the engine's block, and dead with it
  // Fetches the memory that a run and a free touch.
  void warm_up() const noexcept {
    cache.warm_up();
    counts.warm_up();
    for (std::size_t byte = 0; byte < sizeof(thread_record); byte += 64)
      base::prefetch_to_write(reinterpret_cast<const std::byte*>(this) + byte);
  }
  thread_record* next = nullptr;  // in the registry's list; written before it is published
  const std::uint64_t engine;     // the engine's number; none comes twice
};
static_assert(sizeof(thread_record) <= 256, "four cache lines for each thread and engine");

}  // namespace detent::detail
