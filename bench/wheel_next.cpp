// SPDX-License-Identifier: MIT
// What does it cost to find the next expiry, and to move time by an hour in which nothing is due? `live` timers, due 11
// to 23 years ahead.
//
// Read: Time is for one question or one jump. Neither may grow with the number of timers or with the length of the
// jump; a jump now and then hands timers down a level, which is in it.
#include <benchmark/benchmark.h>

#include "support/ordered_timers.hpp"
#include "support/random.hpp"
#include "support/scale.hpp"

namespace {

using namespace detent::bench;

constexpr nanoseconds hour = 3'600'000'000'000, earliest = 100'000 * hour;
constexpr std::int64_t jumps = 20'000;

template <class Kind>
void fill(Kind& timers, std::int64_t live) {
  cheap_random random(1);
  for (timer_id id = 0; id < live; ++id) {
    timers.insert(id, earliest + static_cast<nanoseconds>(random.fraction() * static_cast<double>(earliest)));
  }
}

template <class Kind>
void next_expiry(benchmark::State& state) {
  const auto live = static_cast<std::size_t>(state.range(0));
  Kind timers(live, live);
  fill(timers, state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(&timers);
    benchmark::DoNotOptimize(timers.next());
    benchmark::ClobberMemory();
  }
}

template <class Kind>
void jump_an_hour(benchmark::State& state) {
  const auto live = static_cast<std::size_t>(state.range(0));
  Kind timers(live, live);
  fill(timers, state.range(0));
  nanoseconds now = 0;
  std::uint64_t taken = 0;
  for (auto _ : state) timers.expire(now += hour, [&taken](timer_id) { ++taken; });
  if (taken != 0) state.SkipWithError("something was due");
}

void sizes(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("live")->Arg(1'000)->Arg(full_or_smoke(1'000'000, 10'000));
}

BENCHMARK_TEMPLATE(next_expiry, hierarchical)->Apply(sizes);
BENCHMARK_TEMPLATE(next_expiry, hashed)->Apply(sizes);
BENCHMARK_TEMPLATE(next_expiry, multimap)->Apply(sizes);
BENCHMARK_TEMPLATE(jump_an_hour, hierarchical)->Apply(sizes)->Iterations(jumps);
BENCHMARK_TEMPLATE(jump_an_hour, hashed)->Apply(sizes)->Iterations(jumps);
BENCHMARK_TEMPLATE(jump_an_hour, multimap)->Apply(sizes)->Iterations(jumps);

}  // namespace
