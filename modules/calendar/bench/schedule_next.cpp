// SPDX-License-Identifier: MIT
// Measures the cost of finding the next due time of a schedule.
//
// Read: p50 and p99 are of single calls, in nanoseconds, each less what two readings of the clock take. Weekdays are a
// trading gateway's; the others look for rarer and rarer days, and `no_day` for one that there is not until the end of
// 2199.
#include <detent/schedule.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

// Computes due times one after the other, from 2024 on, and then begins again.
void next_of(benchmark::State& state, const detent::schedule& when) {
  const detent::wall_time start = std::chrono::sys_days(std::chrono::year(2024) / 1 / 1);
  std::vector<double> each;
  detent::wall_time after = start;
  double reading = 1e9;
  for (auto _ : state) {
    const auto before = clock_type::now(), began = clock_type::now();
    const std::optional<detent::wall_time> next = when.next(after);
    const auto ended = clock_type::now();
    reading = std::min(reading, std::chrono::duration<double, std::nano>(began - before).count());
    each.push_back(std::chrono::duration<double, std::nano>(ended - began).count());
    after = next && each.size() % 256 != 0 ? *next : start;
  }
  std::sort(each.begin(), each.end());
  state.counters["p50"] = each[each.size() / 2] - reading;
  state.counters["p99"] = each[each.size() * 99 / 100] - reading;
}

const detent::schedule_options new_york = {.zone = detent::time_zone::load("America/New_York")};
const auto trading = detent::schedule::quartz("0 30 9 * * ?", new_york).only_on(detent::day_set::weekdays());
const auto nowhere = detent::schedule::daily(std::chrono::hours(9), new_york).only_on(detent::day_set::of({}));

BENCHMARK_CAPTURE(next_of, weekdays, detent::schedule::quartz("0 30 9 ? * MON-FRI", new_york));
BENCHMARK_CAPTURE(next_of, trading_days, trading);
BENCHMARK_CAPTURE(next_of, every_five_minutes, detent::schedule::unix_cron("*/5 * * * *", new_york));
BENCHMARK_CAPTURE(next_of, february_29, detent::schedule::quartz("0 0 12 29 2 ?", new_york));
BENCHMARK_CAPTURE(next_of, fifth_monday_of_february, detent::schedule::quartz("0 0 12 ? 2 2#5", new_york));
BENCHMARK_CAPTURE(next_of, no_day, nowhere);

}  // namespace
