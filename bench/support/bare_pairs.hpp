// SPDX-License-Identifier: MIT
// The floor of pairs through handles: what schedule + cancel cost where nothing is done with a timer but to have it.
#pragma once

#include <detent/base/atomic.hpp>

#include <benchmark/benchmark.h>
#include <concurrentqueue/concurrentqueue.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>

#include "bare_floors.hpp"
#include "line_memory.hpp"
#include "process_cost.hpp"
#include "random.hpp"

namespace detent::bench {

// Nodes of a cache line with a free list, and a queue that a thread empties once a millisecond without looking at its
// entries. For one producer.
class bare_timers {
 public:
  struct handle {
    bare_timers* owner;
    std::uint32_t index, generation;
  };
  static_assert(sizeof(handle) == 16, "as detent's");

  explicit bare_timers(std::uint32_t count) : nodes_(count) {
    for (std::uint32_t i = 0; i < count; ++i) nodes_[i].next = i + 1;
  }
  bare_timers(const bare_timers&) = delete;
  bare_timers& operator=(const bare_timers&) = delete;
  ~bare_timers() {
    end_.store(true, base::relaxed);  // relaxed: publishes nothing else
    consumer_.join();
  }

  handle schedule(std::int64_t deadline) {
    const std::uint32_t index = free_;
    node& taken = nodes_[index];
    free_ = taken.next;
    taken.deadline = deadline;
    taken.call = &call;
    // relaxed: only this thread looks at the node.
    const std::uint32_t generation = taken.generation.load(base::relaxed) + 1;
    taken.generation.store(generation, base::relaxed);
    queue_.enqueue(token_, std::uint64_t{generation} << 32 | index);
    return {this, index, generation};
  }
  static void cancel(const handle& old) {
    node& freed = old.owner->nodes_[old.index];
    std::uint32_t expected = old.generation;
    // relaxed: as above; the exchange is what is measured.
    if (!freed.generation.compare_exchange_strong(expected, expected + 1, base::relaxed)) return;
    freed.next = old.owner->free_;
    old.owner->free_ = old.index;
  }

 private:
  struct alignas(64) node {
    base::atomic<std::uint32_t> generation{0};
    std::uint32_t next = 0;
    std::int64_t deadline = 0;
    void (*call)() = nullptr;
    std::uint64_t capture[5] = {};
  };
  static_assert(sizeof(node) == 64, "as a pending timer");

  static void call() {}
  void consume() {
    moodycamel::ConsumerToken token(queue_);
    std::array<std::uint64_t, 1024> taken;
    while (!end_.load(base::relaxed)) {  // relaxed: see the destructor
      while (queue_.try_dequeue_bulk(token, taken.data(), taken.size()) != 0) benchmark::DoNotOptimize(taken.data());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  line_memory<node> nodes_;
  std::uint32_t free_ = 0;
  moodycamel::ConcurrentQueue<std::uint64_t, bare_queue_traits> queue_;
  moodycamel::ProducerToken token_{queue_};
  base::atomic<bool> end_{false};
  std::thread consumer_{[this] { consume(); }};
};

// Cancels a random one of `live` handles and schedules another in its place.
inline void floor_pair_through_handle(benchmark::State& state) {
  const auto live = static_cast<std::uint32_t>(state.range(0));
  bare_timers timers(live + 1);
  line_memory<bare_timers::handle> handles(live);
  cheap_random random(1);
  for (std::uint32_t i = 0; i < live; ++i) handles[i] = timers.schedule(random.next());
  run_counting_cpu(state, [&] {
    bare_timers::handle& chosen = handles[random.below(live)];
    bare_timers::cancel(chosen);
    chosen = timers.schedule(random.next());
  });
}

}  // namespace detent::bench
