// SPDX-License-Identifier: MIT
#include "calls_answer.hpp"

#include <algorithm>
#include <cmath>

namespace peers {
namespace {

constexpr std::pair<const char*, double> percentiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}};

}  // namespace

calls_plan::calls_plan(const request& wanted)
    : live(wanted.number("live", 10'000'000)),
      steps(wanted.number("milliseconds", 600'000) * 1'000'000 / static_cast<std::uint64_t>(between_ns)) {}

std::uint64_t call_times::percentile(double share) {
  const double rank = std::ceil(share * static_cast<double>(count_));
  const auto begin = stamps_.begin(), end = begin + static_cast<std::ptrdiff_t>(count_);
  const auto chosen = begin + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(begin, chosen, end);
  return *chosen;
}

answer calls_answer(const stopwatch& watch, std::vector<std::pair<std::string, call_times>> calls) {
  const std::int64_t cpu_ns = watch.cpu_ns(), wall_ns = watch.wall_ns();
  const double stamp_length_ns = measured_stamp_ns();
  call_times nothing(10'000);
  for (int i = 0; i < 10'000; ++i) nothing.time([] {});
  answer said = {{"steps", calls.front().second.count()}, {"cpu_ns", cpu_ns}, {"wall_ns", wall_ns}};
  said["stamp_ns"] = static_cast<double>(nothing.percentile(0.5)) * stamp_length_ns;
  for (auto& [name, times] : calls) {
    if (times.count() == 0) continue;
    for (const auto& [suffix, share] : percentiles) {
      said[name + "_" + suffix + "_ns"] = std::round(static_cast<double>(times.percentile(share)) * stamp_length_ns);
    }
  }
  return said;
}

std::int64_t wait_until_ns(std::int64_t instant_ns) {
  std::int64_t now_ns;
  do now_ns = steady_ns();
  while (now_ns < instant_ns);
  return now_ns;
}

}  // namespace peers
