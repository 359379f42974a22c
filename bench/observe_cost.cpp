// SPDX-License-Identifier: MIT
// What does it cost to know why a timer was late? The same work by the engine and by a copy of it that counts no
// causes, in slices that alternate.
//
// Read: `ratio`, the median over the slices of one's CPU time to the other's; 1.03 is the bound.
#include "support/observed_work.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "support/scale.hpp"

namespace detent_uncounted {
std::unique_ptr<observed::work> make_observed_work();
}

namespace {

using namespace detent::bench;

constexpr std::size_t timers = 20'000;  // in a slice

double median(std::vector<double>& of) {
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

void compare(benchmark::State& state, observed::cost (observed::work::*does)(std::size_t),
             double observed::cost::*reported) {
  auto one = detent::make_observed_work(), other = detent_uncounted::make_observed_work();
  std::vector<double> with, without, ratios;
  bool swapped = false;
  for (auto _ : state) {
    double first = (*one.*does)(timers).*reported, second = (*other.*does)(timers).*reported;
    if (swapped) std::swap(first, second);
    with.push_back(first);
    without.push_back(second);
    ratios.push_back(first / second);
    std::swap(one, other);  // the first one in a slice alternates
    swapped = !swapped;
  }
  state.counters["ratio"] = median(ratios);
  state.counters["with_ns"] = median(with);
  state.counters["without_ns"] = median(without);
}

void schedule_and_cancel(benchmark::State& state) { compare(state, &observed::work::pairs, &observed::cost::life); }
void schedule_and_fire(benchmark::State& state) { compare(state, &observed::work::firings, &observed::cost::life); }
// Measures only the pass, with a callback that does almost nothing, which is the worst case.
void fire_alone(benchmark::State& state) { compare(state, &observed::work::firings, &observed::cost::pass); }

BENCHMARK(schedule_and_cancel)->Iterations(full_or_smoke(400, 4));
BENCHMARK(schedule_and_fire)->Iterations(full_or_smoke(200, 4));
BENCHMARK(fire_alone)->Iterations(full_or_smoke(200, 4));

}  // namespace
