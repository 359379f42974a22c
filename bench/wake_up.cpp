// SPDX-License-Identifier: MIT
// What does a schedule cost that must wake the worker, because its deadline is the earliest? `asleep`: the worker
// sleeps each time. `back_to_back`: schedule + cancel without a pause on an empty engine, and ahead of a timer an hour
// away; the worker sleeps sometimes. Beside it what no wake-up can do without: a futex wake of a sleeping thread.
//
// Read: Time is the producer's; rings counts wake-ups by schedules, and is 1 where each one had to; cpu_ns (back to
// back) is the whole process's, the worker's running to and fro included.
#include <benchmark/benchmark.h>

#include "support/bare_floors.hpp"
#include "support/live_timers.hpp"
#include "support/process_cost.hpp"
#include "support/worker_cpu.hpp"

#include <chrono>
#include <thread>

namespace {

using namespace detent::bench;
using namespace std::chrono_literals;
namespace base = detent::base;

constexpr auto until_asleep = 200us;

// Times `operation` once the other thread sleeps. `prepare` is not timed.
template <class Prepare, class Operation>
void time_when_asleep(benchmark::State& state, Prepare prepare, Operation operation) {
  for (auto _ : state) {
    prepare();
    std::this_thread::sleep_for(until_asleep);
    const auto began = detent::clock::now();
    operation();
    state.SetIterationTime(std::chrono::duration<double>(detent::clock::now() - began).count());
  }
}

void floor_futex_wake(benchmark::State& state) {
  constexpr std::uint32_t end = 1;
  base::atomic<std::uint32_t> word{0};
  std::thread sleeper([&] {
    // (1) acquire: pairs with the release at (2); only the end is read here.
    for (std::uint32_t seen = 0; (seen = word.load(base::acquire)) != end;) base::futex_wait(word, seen, INT64_MAX);
  });
  std::uint32_t next = 2;
  time_when_asleep(
      state, [] {},
      [&] {
        word.store(next, base::release);  // (2) pairs with (1)
        next += 2;
        base::futex_wake(word, 1);
      });
  word.store(end, base::release);  // (2) again
  base::futex_wake(word, 1);
  sleeper.join();
}

void count_rings(benchmark::State& state, const detent::engine& engine, std::uint64_t before) {
  const auto rings = static_cast<double>(engine.metrics().rings - before);
  state.counters["rings"] = rings / static_cast<double>(state.iterations());
}

// Each timer is earlier than the last, and takes its place.
void asleep(benchmark::State& state) {
  detent::engine engine({.cpu = worker_cpu()});
  detent::timer made;
  auto deadline = detent::clock::now() + 10h;
  const std::uint64_t before = engine.metrics().rings;
  time_when_asleep(
      state, [&] { made.cancel(); }, [&] { made = engine.schedule_at(deadline -= 1ms, [] {}); });
  count_rings(state, engine, before);
}

void back_to_back(benchmark::State& state, bool empty) {
  detent::engine engine;
  if (!empty) engine.schedule_after(far_delay, [] {});
  const auto deadline = detent::clock::now() + 10min;
  const std::uint64_t before = engine.metrics().rings;
  run_counting_cpu(state, [&] { engine.schedule_at(deadline, [] {}).cancel(); });
  count_rings(state, engine, before);
}

BENCHMARK(floor_futex_wake)->UseManualTime()->Iterations(500);
BENCHMARK(asleep)->UseManualTime()->Iterations(500);
BENCHMARK_CAPTURE(back_to_back, empty_engine, true)->UseRealTime();
BENCHMARK_CAPTURE(back_to_back, ahead_of_a_far_timer, false)->UseRealTime();

}  // namespace
