// SPDX-License-Identifier: MIT
// The queue of a thread pool: moodycamel's, a count of what waits in it, and each thread's way in.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/executor.hpp>

#include "pool_limits.hpp"

#include <concurrentqueue/concurrentqueue.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <new>
#include <thread>

namespace detent::detail {

struct pool_traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const std::size_t BLOCK_SIZE = limits::pool_block;
  static const std::size_t EXPLICIT_BLOCK_EMPTY_COUNTER_THRESHOLD = 2;
  static const std::size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 0;
};
using work_queue = moodycamel::ConcurrentQueue<fired_timer, pool_traits>;

// How much work waits, and never more than may. Its own line, as every thread writes it.
class alignas(64) bounded_count {
 public:
  explicit bounded_count(std::size_t capacity) : capacity_(capacity) {}

  // So many of the wanted as there is room for. Relaxed, all: a count that protects nothing.
  std::size_t take(std::size_t wanted) noexcept {
    std::size_t taken = taken_.load(base::relaxed), more = 0;
    do {
      more = std::min(wanted, capacity_ - taken);
    } while (more != 0 && !taken_.compare_exchange_weak(taken, taken + more, base::relaxed, base::relaxed));
    return more;
  }
  void give_back(std::size_t count) noexcept { taken_.fetch_sub(count, base::relaxed); }
  std::size_t taken() const noexcept { return taken_.load(base::relaxed); }

 private:
  const std::size_t capacity_;
  base::atomic<std::size_t> taken_{0};
};

// A thread's own way into the queue, to which the next thread of that number has it. The queue's own table of threads
// would refuse one for ever for which there was no memory once.
struct entrance {
  explicit entrance(work_queue& queue) : token(queue) {}
  const std::thread::id of = std::this_thread::get_id();
  moodycamel::ProducerToken token;
  entrance* next = nullptr;
};

// The entrances of all threads that have handed over. Any thread, lock-free; some nanoseconds for each sixteenth of
// them.
class entrances {
 public:
  entrances() noexcept = default;
  entrances(const entrances&) = delete;
  entrances& operator=(const entrances&) = delete;
  ~entrances() {
    for (base::atomic<entrance*>& list : lists_) {
      for (entrance* each = list.load(base::relaxed); each != nullptr;) {  // relaxed: no other thread is left
        entrance* const next = each->next;
        delete each;
        each = next;
      }
    }
  }
  // Returns the calling thread's entrance, or null if there is no memory for one.
  entrance* mine(work_queue& queue) noexcept {
    const std::thread::id me = std::this_thread::get_id();
    base::atomic<entrance*>& list = lists_[std::hash<std::thread::id>{}(me) % lists_.size()];
    entrance* const newest = list.load(base::acquire);  // (1) acquire: pairs with (2)
    for (entrance* each = newest; each != nullptr; each = each->next) {
      if (each->of == me) return each;
    }
    auto* const made = new (std::nothrow) entrance(queue);
    if (made == nullptr) return nullptr;
    if (!made->token.valid()) {
      delete made;
      return nullptr;
    }
    made->next = newest;
    // (2) release: the entrance is made; pairs with (1). Relaxed on failure: only compared again.
    while (!list.compare_exchange_weak(made->next, made, base::release, base::relaxed)) {
    }
    return made;
  }

 private:
  std::array<base::atomic<entrance*>, 16> lists_{};
};

}  // namespace detent::detail
