// SPDX-License-Identifier: MIT
// What one thread keeps for one engine: free nodes, its place in the submission queue, its arming order, its counts.
#pragma once

#include <detent/alloc/slot_cache.hpp>
#include <detent/base/atomic.hpp>
#include <detent/detail/thread_link.hpp>

#include "submission_queue.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace detent::detail {

enum class counter : std::uint8_t {
  scheduled,
  revived,            // one-shots re-armed from their callback: pending once more
  started_last,       // not pending any more: one-shots as they start, periodic ones as they end
  cancelled,          // before they started
  cancelled_running,  // while they ran
  expired,
  returned,
  dropped,
  fired,
  restarted,
  refused,
  failed,
  boxed,
  drains,
  drained,
  rings,
  retired,
  count_
};

// Which short ways of calls are open to a thread that holds a record.
enum class shortcuts : std::uint8_t {
  none,        // it drives the engine itself; or the engine has a capacity, or has been stopped, or is gone
  some,        // those that need not know the tick
  exact_ticks  // all of them: the tick is 1 ns
};

// One writer, any reader.
class counters {
 public:
  void add(counter which, std::uint64_t amount = 1) noexcept {
    // (1) release: pairs with (2): a reader that sees a timer's end sees its beginning, too.
    base::add_alone(cells_[static_cast<std::size_t>(which)], amount);
  }
  // Takes back one that was added in advance.
  void take_back(counter which) noexcept { add(which, ~std::uint64_t{0}); }
  std::uint64_t read(counter which) const noexcept {
    return cells_[static_cast<std::size_t>(which)].load(base::acquire);  // (2) acquire: pairs with (1)
  }

 private:
  std::array<base::atomic<std::uint64_t>, static_cast<std::size_t>(counter::count_)> cells_{};
};

// A thread tells its pushes in lots of so many.
inline constexpr std::uint32_t report_every = 64;

// Cancelled timers that the driver has not been told of yet.
struct reap_batch {
  std::array<std::uint64_t, 64> entries;
  std::size_t count = 0;  // below the size, but while it is being pushed
};

// Belongs to the thread that holds it; passes to another when the thread ends, so that threads that come and go leave
// neither memory nor places in the queue behind.
struct alignas(64) thread_record {
  explicit thread_record(submission_queue& queue) : producer(std::in_place, queue.make_producer()) {}

  alloc::slot_cache cache;
  std::uint32_t next_order = 0;
  std::uint32_t unreported = 0;                        // entries pushed since the shared count was last told
  std::optional<submission_queue::producer> producer;  // empty once the engine has gone
  base::atomic<shortcuts> open{shortcuts::none};       // by this thread, or by who ends the engine
  bool driving = false;                                // this thread turns the wheel now: its calls go straight there
  reap_batch* reaps = nullptr;                         // while this thread cancels many at once
  counters counts;
  thread_link link;
  // Fetches what a run and a free touch.
  void warm_up() const noexcept {
    cache.warm_up();
    for (std::size_t byte = 0; byte < sizeof(thread_record); byte += 64)
      __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + byte, 1);
  }
  thread_record* next = nullptr;  // in the registry's list; written before it is published
};

}  // namespace detent::detail
