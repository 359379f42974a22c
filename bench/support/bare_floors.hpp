// SPDX-License-Identifier: MIT
// The floors that bound a producer, as benchmarks of their own: what the machine asks for the bare steps.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <benchmark/benchmark.h>
#include <concurrentqueue/concurrentqueue.h>

#include <array>
#include <cstdint>
#include <vector>

#include "line_memory.hpp"
#include "random.hpp"

namespace detent::bench {

struct alignas(64) bare_line {
  base::atomic_pair pair;
  std::uint64_t rest[6] = {};
};
static_assert(sizeof(bare_line) == 64, "as a pending timer");

inline void exchange_pair(bare_line& line) noexcept {
  // relaxed: no other thread takes part; the exchange is what is measured.
  const base::pair_value seen{line.pair.low.load(base::relaxed), line.pair.high.load(base::relaxed)};
  line.pair.compare_exchange(seen, {seen.low + 1, seen.high + 1});
}

inline void floor_clock_reading(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(clock::now());
}

// An exchange of eight bytes without contention.
inline void floor_exchange_8(benchmark::State& state) {
  base::atomic<std::uint64_t> word{0};
  std::uint64_t expected = 0;
  for (auto _ : state) {
    word.compare_exchange_strong(expected, expected + 1, base::acq_rel, base::relaxed);
    ++expected;
  }
}

// An exchange of sixteen bytes without contention.
inline void floor_exchange_16(benchmark::State& state) {
  bare_line line;
  for (auto _ : state) exchange_pair(line);
}

// An exchange of sixteen bytes at a random place in as much memory as `live` timers take.
inline void floor_exchange_16_at_random(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  line_memory<bare_line> lines(count);
  cheap_random random(1);
  for (auto _ : state) exchange_pair(lines[random.below(count)]);
}

// Does the same through one of `live` handles of 16 bytes each, as a producer that picks a timer does. There are two
// cache misses, of which the second waits for the first.
inline void floor_exchange_16_through_handle(benchmark::State& state) {
  struct handle {
    const void* owner;
    std::uint64_t index;
  };
  const auto count = static_cast<std::uint64_t>(state.range(0));
  line_memory<bare_line> lines(count);
  line_memory<handle> handles(count);
  for (std::uint64_t i = 0; i < count; ++i) handles[i].index = i;
  cheap_random random(1);
  for (auto _ : state) exchange_pair(lines[handles[random.below(count)].index]);
}

struct bare_queue_traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const std::size_t BLOCK_SIZE = 512;
};

// The least that such a hand-over needs, on one thread and in the cache: a free node from an array, a write to its
// line, an enqueue with a token, an entry's share of a bulk dequeue, a compare-and-swap, and the return of the node.
inline void floor_hand_over(benchmark::State& state) {
  constexpr std::size_t nodes = 256, share = 4096;
  line_memory<bare_line> lines(nodes);
  std::vector<std::uint32_t> free_nodes(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) free_nodes[i] = i;
  std::size_t free_count = nodes;
  moodycamel::ConcurrentQueue<std::uint64_t, bare_queue_traits> queue(4 * share);
  moodycamel::ProducerToken producer(queue);
  moodycamel::ConsumerToken consumer(queue);
  std::array<std::uint64_t, 256> taken;
  std::size_t waiting = 0;
  for (auto _ : state) {
    const std::uint32_t node = free_nodes[--free_count];
    bare_line& line = lines[node];
    line.rest[0] = node;
    queue.enqueue(producer, node);
    exchange_pair(line);
    free_nodes[free_count++] = node;
    if (++waiting < share) continue;
    while (queue.try_dequeue_bulk(consumer, taken.data(), taken.size()) == taken.size()) {
      benchmark::DoNotOptimize(taken.data());
    }
    waiting = 0;
  }
}

}  // namespace detent::bench
