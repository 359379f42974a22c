// SPDX-License-Identifier: MIT
// What does a bulk call save against as many single calls? Of `live` timers a round cancels up to 4096 and schedules as
// many again; one half is timed, the other is not. Cancelled are timers that the worker has not drained yet
// (undrained), and those in the wheel in the order of their making (made) or at random (any).
//
// Read: Time is the producer's for one timer; compare `bulk` with `single` of the same name and size.
#include <benchmark/benchmark.h>

#include "support/live_timers.hpp"
#include "support/scale.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <vector>

namespace {

using namespace detent::bench;

enum class way : std::uint8_t { single, bulk };
enum class target : std::uint8_t { undrained, made, any };
constexpr std::size_t most_a_round = 4096;

// `live` timers that are due after the one that the engine waits for, in a random order.
class population {
 public:
  population(std::size_t live, bool shuffled)
      : places_(live), timers_(live), round_(std::min(most_a_round, live)), chosen_(round_), deadlines_(round_) {
    std::iota(places_.begin(), places_.end(), std::size_t{0});
    for (std::size_t i = places_.size() - 1; shuffled && i > 0; --i)
      std::swap(places_[i], places_[random_.below(i + 1)]);
    std::vector<detent::time_point> all(live);
    for (detent::time_point& each : all) each = deadline();
    at_work_.engine.schedule_at_bulk(
        all, [](std::size_t) {}, timers_);
    settle();
  }

  std::size_t round() const noexcept { return round_; }
  void settle() { detent::bench::settle(at_work_.engine); }
  // Chooses the next victims, and deadlines for their successors. A last round that would be too short starts over.
  void choose() {
    if (next_ + round_ > places_.size()) next_ = 0;
    for (std::size_t i = 0; i < round_; ++i) chosen_[i] = timers_[places_[next_ + i]];
    for (detent::time_point& each : deadlines_) each = deadline();
  }
  void put_back() {
    for (std::size_t i = 0; i < round_; ++i) timers_[places_[next_ + i]] = chosen_[i];
    next_ += round_;
  }
  template <way Way>
  void schedule() {
    if constexpr (Way == way::bulk) {
      at_work_.engine.schedule_at_bulk(
          deadlines_, [](std::size_t) {}, chosen_);
    } else {
      for (std::size_t i = 0; i < round_; ++i) chosen_[i] = at_work_.engine.schedule_at(deadlines_[i], [] {});
    }
  }
  template <way Way>
  void cancel() {
    if constexpr (Way == way::bulk) {
      benchmark::DoNotOptimize(at_work_.engine.cancel_bulk(chosen_));
    } else {
      for (detent::timer& each : chosen_) benchmark::DoNotOptimize(each.cancel());
    }
  }

 private:
  detent::time_point deadline() noexcept { return base_ + measured_delay(random_); }

  engine_at_work at_work_;
  detent::time_point base_ = detent::clock::now();
  cheap_random random_{1};
  std::vector<std::size_t> places_;
  std::vector<detent::timer> timers_;
  std::size_t next_ = 0, round_;
  std::vector<detent::timer> chosen_;
  std::vector<detent::time_point> deadlines_;
};

template <class Work>
void time(benchmark::State& state, Work&& work) {
  const auto began = detent::clock::now();
  work();
  state.SetIterationTime(std::chrono::duration<double>(detent::clock::now() - began).count());
}

template <way Way>
void schedule(benchmark::State& state) {
  population all(static_cast<std::size_t>(state.range(0)), false);
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(all.round()))) {
    all.choose();
    all.cancel<way::bulk>();
    time(state, [&] { all.schedule<Way>(); });
    all.put_back();
  }
}

template <way Way, target Which>
void cancel(benchmark::State& state) {
  population all(static_cast<std::size_t>(state.range(0)), Which == target::any);
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(all.round()))) {
    all.choose();
    if (Which == target::undrained) all.cancel<way::bulk>();
    all.settle();
    if (Which == target::undrained) all.schedule<way::bulk>();
    time(state, [&] { all.cancel<Way>(); });
    all.schedule<way::bulk>();
    all.put_back();
  }
}

void sizes(benchmark::internal::Benchmark* wanted) {
  wanted->ArgName("live")->Arg(1000)->Arg(full_or_smoke(1'000'000, 10'000))->UseManualTime();
  if (!smoke()) wanted->Iterations(1 << 20);
}

BENCHMARK_TEMPLATE(schedule, way::single)->Apply(sizes);
BENCHMARK_TEMPLATE(schedule, way::bulk)->Apply(sizes);
BENCHMARK_TEMPLATE(cancel, way::single, target::undrained)->Apply(sizes);
BENCHMARK_TEMPLATE(cancel, way::bulk, target::undrained)->Apply(sizes);
BENCHMARK_TEMPLATE(cancel, way::single, target::made)->Apply(sizes);
BENCHMARK_TEMPLATE(cancel, way::bulk, target::made)->Apply(sizes);
BENCHMARK_TEMPLATE(cancel, way::single, target::any)->Apply(sizes);
BENCHMARK_TEMPLATE(cancel, way::bulk, target::any)->Apply(sizes);

}  // namespace
