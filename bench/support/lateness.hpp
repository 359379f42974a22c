// SPDX-License-Identifier: MIT
// Measures how late deadlines are met, by the clock read in the callback, and does the same for a bare thread that does
// nothing else.
#pragma once

#include <detent/detent.hpp>

#include <benchmark/benchmark.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <utility>
#include <vector>

#include "process_cost.hpp"
#include "random.hpp"

namespace detent::bench {

inline constexpr std::int64_t timers_a_second = 1'000;

// One thread writes. Read it when that thread has stopped writing.
class lateness_samples {
 public:
  explicit lateness_samples(std::size_t most) { samples_.reserve(most); }
  void note(time_point deadline) { samples_.push_back((clock::now() - deadline).count()); }
  std::size_t count() const { return samples_.size(); }
  // Adds the counters p50_ns, p90_ns, p99_ns and max_ns. Fails the benchmark if a timer came early or none came.
  void report(benchmark::State& state) {
    if (samples_.empty()) return state.SkipWithError("nothing fired");
    std::sort(samples_.begin(), samples_.end());
    if (samples_.front() < 0) return state.SkipWithError("a timer fired early");
    auto at = [&](std::size_t percent) { return static_cast<double>(samples_[(samples_.size() - 1) * percent / 100]); };
    state.counters["p50_ns"] = at(50);
    state.counters["p90_ns"] = at(90);
    state.counters["p99_ns"] = at(99);
    state.counters["max_ns"] = at(100);
  }

 private:
  std::vector<std::int64_t> samples_;
};

// When a timer is scheduled, and its deadline, in nanoseconds from the start.
struct planned_timer {
  std::int64_t made, due;
};

// Plans one timer each millisecond for `milliseconds`, with delays of 1 to 100 ms.
inline std::vector<planned_timer> plan_timers(std::int64_t milliseconds) {
  cheap_random random(1);
  std::vector<planned_timer> plan;
  for (std::int64_t i = 0; i < milliseconds * timers_a_second / 1'000; ++i) {
    const std::int64_t made = i * (1'000'000'000 / timers_a_second);
    plan.push_back({made, made + 1'000'000 + static_cast<std::int64_t>(random.below(99'000'000))});
  }
  return plan;
}

inline void sleep_until(time_point instant) {
  const std::int64_t ns = instant.time_since_epoch().count();
  const timespec until{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}
inline void spin_until(time_point instant) {
  while (clock::now() < instant) {
  }
}
// Lets the kernel wake this thread within a nanosecond of the requested time, as an engine's worker does.
inline void set_fine_timer_slack() { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

// The calling thread meets the plan's deadlines in order, and calls wait(deadline) for each.
template <class Wait>
lateness_samples meet_bare(const std::vector<planned_timer>& plan, Wait wait) {
  std::vector<std::int64_t> due;
  due.reserve(plan.size());
  for (const planned_timer& each : plan) due.push_back(each.due);
  std::sort(due.begin(), due.end());
  lateness_samples lateness(plan.size());
  const time_point start = clock::now();
  for (std::int64_t each : due) {
    wait(start + duration(each));
    lateness.note(start + duration(each));
  }
  return lateness;
}

// The calling thread carries the plan out on an engine and sleeps in between. Returns when all timers have fired.
inline void meet_by_engine(engine& engine, const std::vector<planned_timer>& plan, lateness_samples& lateness) {
  const time_point start = clock::now();
  for (const planned_timer& each : plan) {
    sleep_until(start + duration(each.made));
    engine.schedule_at(start + duration(each.due), [&lateness](firing& run) { lateness.note(run.deadline()); });
  }
  while (engine.metrics().expired < plan.size()) ::usleep(1000);
}

}  // namespace detent::bench
