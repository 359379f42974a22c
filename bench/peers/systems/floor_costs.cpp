// SPDX-License-Identifier: MIT
#include "floor_costs.hpp"

#include <concurrentqueue/concurrentqueue.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <detent/base/atomic.hpp>
#include <vector>
#include "platform/time_stamp.hpp"

#include "../common/process_readings.hpp"

namespace peers {
namespace {

using detent::base::atomic_pair;

// Makes the compiler believe that the value is used.
template <class T>
void use(const T& value) {
  __asm__ __volatile__("" : : "r,m"(value) : "memory");
}

constexpr std::size_t batch = 256;

class token_queue {
 public:
  void push(std::uint64_t entry) { queue_.enqueue(producer_, entry); }
  void drop_batch() {
    std::array<std::uint64_t, batch> taken;
    queue_.try_dequeue_bulk(consumer_, taken.begin(), taken.size());
    use(taken);
  }

 private:
  moodycamel::ConcurrentQueue<std::uint64_t> queue_;
  moodycamel::ProducerToken producer_{queue_};
  moodycamel::ConsumerToken consumer_{queue_};
};

struct operations {
  detent::base::atomic<std::uint64_t> word{0};
  std::uint64_t expected = 0;
  atomic_pair pair;
  std::uint64_t half = 0;
  token_queue queue, composite_queue;
  // 64-byte nodes and the stack of those that are free.
  struct alignas(64) node {
    atomic_pair state;
    std::array<std::uint64_t, 6> rest{};
  };
  std::vector<node> nodes = std::vector<node>(2 * batch);
  std::vector<std::uint32_t> free;
  std::array<std::uint32_t, batch> taken{};

  operations() {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) free.push_back(i);
  }
  void swap_word() {
    // No other thread takes part: the order is only that which an engine would ask for. (1), without a partner.
    word.compare_exchange_strong(expected, expected + 1, detent::base::acq_rel);
    ++expected;
  }
  void swap_pair() {
    pair.compare_exchange({half, half}, {half + 1, half + 1});
    ++half;
  }
  void composite(std::size_t step) {
    const std::uint32_t index = free.back();
    free.pop_back();
    node& mine = nodes[index];
    const std::uint64_t before = mine.rest[0]++;
    mine.rest[1] = step;
    composite_queue.push(index);
    mine.state.compare_exchange({before, before}, {before + 1, before + 1});
    taken[step] = index;
  }
  void end_of_composite_batch() {
    composite_queue.drop_batch();
    for (const std::uint32_t index : taken) free.push_back(index);
  }
};

// Returns the nanoseconds of a `step`, as the least over several runs; `end` follows each batch and is included.
template <class Step, class End>
double cost(std::chrono::nanoseconds length, Step step, End end) {
  constexpr int runs = 20;  // short ones, so that some are not interrupted on this CPU
  double least = 1e9;
  for (int run = 0; run < runs; ++run) {
    const std::int64_t began = steady_ns(), until = began + length.count() / runs;
    std::int64_t now = began;
    std::uint64_t steps = 0;
    do {
      for (std::size_t i = 0; i < batch; ++i) step(i);
      end();
      steps += batch;
      now = steady_ns();
    } while (now < until);
    least = std::min(least, static_cast<double>(now - began) / static_cast<double>(steps));
  }
  return least;
}

}  // namespace

answer floor_costs(std::chrono::milliseconds length) {
  const std::chrono::nanoseconds each = std::chrono::nanoseconds(length) / 6;
  const auto nothing = [] {};
  operations on;
  return {{"clock_ns", cost(
                           each, [](std::size_t) { use(std::chrono::steady_clock::now()); }, nothing)},
          {"rdtsc_ns", cost(
                           each, [](std::size_t) { use(detent::base::read_time_stamp()); }, nothing)},
          {"cas8_ns", cost(
                          each, [&](std::size_t) { on.swap_word(); }, nothing)},
          {"cas16_ns", cost(
                           each, [&](std::size_t) { on.swap_pair(); }, nothing)},
          {"queue_ns", cost(
                           each, [&](std::size_t i) { on.queue.push(i); }, [&] { on.queue.drop_batch(); })},
          {"composite_ns", cost(
                               each, [&](std::size_t i) { on.composite(i); }, [&] { on.end_of_composite_batch(); })}};
}

}  // namespace peers
