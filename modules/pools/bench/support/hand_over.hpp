// SPDX-License-Identifier: MIT
// Timers that a worker hands over to a pool, and the time that it is held up by that.
#pragma once

#include <detent/detent.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "support/process_cost.hpp"
#include "support/scale.hpp"

namespace detent::bench {

// Passes its work on to a pool and keeps how long that took.
class timed_hand_over final : public detent::executor {
 public:
  timed_hand_over(std::shared_ptr<detent::executor> pool, std::size_t most) : pool_(std::move(pool)) {
    took_.reserve(most);
  }
  bool execute(detent::fired_timer&& work) noexcept override { return execute_many({&work, 1}) == 1; }
  std::size_t execute_many(std::span<detent::fired_timer> work) noexcept override {
    const auto before = std::chrono::steady_clock::now();
    const std::size_t taken = work.size() == 1 ? static_cast<std::size_t>(pool_->execute(std::move(work.front())))
                                               : pool_->execute_many(work);
    const auto after = std::chrono::steady_clock::now();
    took_.insert(took_.end(), taken,
                 (after - before).count() / static_cast<std::int64_t>(std::max(taken, std::size_t{1})));
    return taken;
  }
  // Returns the quantile per timer. To be called once the engine has ended.
  std::int64_t quantile(double share) {
    std::sort(took_.begin(), took_.end());
    return took_.empty() ? 0 : took_[static_cast<std::size_t>(share * static_cast<double>(took_.size() - 1))];
  }

 private:
  std::shared_ptr<detent::executor> pool_;
  std::vector<std::int64_t> took_;
};

// Schedules `together` timers at each instant, which comes 20 us for each of them after the instant before.
inline void measure_hand_over(benchmark::State& state, std::shared_ptr<detent::executor> pool, std::size_t together) {
  using namespace std::chrono_literals;
  const auto count = static_cast<std::size_t>(full_or_smoke(100'000, 1'000));
  for (auto _ : state) {
    auto timed = std::make_shared<timed_hand_over>(pool, count);
    std::atomic<std::size_t> ran{0};
    std::int64_t cpu = 0;
    {
      detent::engine engine({.wait = detent::wait_options::sleep(), .executor = timed, .reserve = count});
      const detent::time_point start = detent::clock::now() + (smoke() ? 5ms : 200ms);
      for (std::size_t i = 0; i != count; ++i)
        engine.schedule_at(start + i / together * together * 20us,
                           [&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
      std::this_thread::sleep_until(start - 1ms);
      const std::int64_t before = process_cpu_ns();
      while (ran.load(std::memory_order_relaxed) != count) std::this_thread::sleep_for(1ms);
      cpu = process_cpu_ns() - before;
    }
    state.counters["p50_ns"] = static_cast<double>(timed->quantile(0.5));
    state.counters["p99_ns"] = static_cast<double>(timed->quantile(0.99));
    state.counters["cpu_ns"] = static_cast<double>(cpu) / static_cast<double>(count);
  }
}

template <class Make>
void add_hand_over(const char* name, Make make) {
  for (const std::int64_t together : {1, 64}) {
    const std::string row = std::string(name) + (together == 1 ? "/one_by_one" : "/together");
    benchmark::RegisterBenchmark(row.c_str(),
                                 [make, together](benchmark::State& state) {
                                   measure_hand_over(state, make(static_cast<std::size_t>(state.range(0))),
                                                     static_cast<std::size_t>(together));
                                 })
        ->ArgName("threads")
        ->Arg(1)
        ->Arg(2)
        ->Arg(4)
        ->Iterations(1)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace detent::bench
