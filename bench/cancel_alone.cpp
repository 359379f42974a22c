// SPDX-License-Identifier: MIT
// What does a producer pay for cancel alone: of a timer that the worker has not drained yet (undrained), of those in
// the wheel in the order of their making (oldest) and at random (any), and of one that has ended already (gone)? Of
// `live` timers a round cancels up to 4096, which is timed, and schedules as many again, which is not.
//
// Read: Time is the producer's for one timer. The bound is floor_exchange_8, for `any` the exchange at random.
#include <benchmark/benchmark.h>

#include "support/bare_floors.hpp"
#include "support/live_timers.hpp"
#include "support/scale.hpp"

#include <algorithm>
#include <chrono>

namespace {

using namespace detent::bench;

enum class target : std::uint8_t { undrained, oldest, any, gone };
constexpr std::int64_t most_a_round = 4096;

template <target Which>
void cancel(benchmark::State& state) {
  engine_at_work at_work;
  schedule_at_counted schedule(at_work.engine);
  live_timers live(state.range(0), 1, schedule);
  settle(at_work.engine);
  const std::int64_t round = std::min(most_a_round, state.range(0));
  std::vector<detent::timer*> chosen(static_cast<std::size_t>(round));
  while (state.KeepRunningBatch(round)) {
    for (detent::timer*& each : chosen) each = Which == target::any ? &live.any() : &live.oldest();
    if (Which == target::undrained || Which == target::gone) {
      for (detent::timer* each : chosen) live.replace(*each);
    }
    if (Which == target::gone) {
      for (detent::timer* each : chosen) each->cancel();
    }
    const auto began = detent::clock::now();
    for (detent::timer* each : chosen) benchmark::DoNotOptimize(each->cancel());
    state.SetIterationTime(std::chrono::duration<double>(detent::clock::now() - began).count());
    for (detent::timer* each : chosen) live.replace(*each);
  }
}

void fixed(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("live")->Arg(full_or_smoke(1'000'000, 10'000))->UseManualTime();
  if (!smoke()) wanted->Iterations(1 << 20);
}

BENCHMARK(floor_exchange_8);
BENCHMARK(floor_exchange_16_at_random)->ArgName("live")->Arg(full_or_smoke(1'000'000, 10'000));
BENCHMARK_TEMPLATE(cancel, target::undrained)->ArgName("live")->Arg(4096)->UseManualTime();
BENCHMARK_TEMPLATE(cancel, target::oldest)->Apply(fixed);
BENCHMARK_TEMPLATE(cancel, target::any)->Apply(fixed);
BENCHMARK_TEMPLATE(cancel, target::gone)->ArgName("live")->Arg(4096)->UseManualTime();

}  // namespace
