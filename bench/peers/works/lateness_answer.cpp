// SPDX-License-Identifier: MIT
#include "lateness_answer.hpp"

#include <algorithm>
#include <cmath>

namespace peers {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

}  // namespace

lateness_plan::lateness_plan(const request& wanted) {
  const std::uint64_t rate = wanted.number("rate", 1'000'000);
  count = std::max<std::uint64_t>(1, rate * wanted.number("milliseconds", 3'600'000) / 1000);
  between_ns = static_cast<std::int64_t>(second / rate);
}

answer lateness_answer(std::vector<std::int64_t> lateness_ns, const stopwatch& watch) {
  const std::int64_t others_cpu_ns = watch.others_cpu_ns(), cpu_ns = watch.cpu_ns(), wall_ns = watch.wall_ns();
  std::ranges::sort(lateness_ns);
  const auto percentile = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(lateness_ns.size()));
    return lateness_ns[static_cast<std::size_t>(rank) - 1];
  };
  const auto early = std::ranges::lower_bound(lateness_ns, 0) - lateness_ns.begin();
  return {{"count", lateness_ns.size()},
          {"p50_ns", percentile(0.5)},
          {"p90_ns", percentile(0.9)},
          {"p99_ns", percentile(0.99)},
          {"p999_ns", percentile(0.999)},
          {"max_ns", lateness_ns.back()},
          {"early", early},
          {"cpu_ns", cpu_ns},
          {"others_cpu_ns", others_cpu_ns},
          {"wall_ns", wall_ns}};
}

}  // namespace peers
