// SPDX-License-Identifier: MIT
#include "lateness/lateness_series.hpp"

#include <algorithm>
#include <cmath>

#include "lateness/log_buckets.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t most_steps = 256;
using scale = log_buckets<4>;
constexpr std::size_t buckets = scale::count;

}  // namespace

lateness_series::lateness_series(std::uint64_t expected_ns) : steps_(most_steps), counts_(most_steps * buckets) {
  while ((expected_ns >> width_bits_) >= most_steps) ++width_bits_;
}

void lateness_series::merge(std::size_t into, std::size_t from) noexcept {
  steps_[into].count += steps_[from].count;
  steps_[into].max = std::max(steps_[into].max, steps_[from].max);
  steps_[from] = {};
  for (std::size_t i = 0; i < buckets; ++i) {
    counts_[into * buckets + i] += counts_[from * buckets + i];
    counts_[from * buckets + i] = 0;
  }
}

void lateness_series::double_steps() noexcept {
  for (std::size_t i = 1; i < most_steps; ++i) {
    if (steps_[i].count != 0) merge(i / 2, i);
  }
  ++width_bits_;
}

void lateness_series::record(std::int64_t t_ns, std::int64_t late_ns) noexcept {
  const auto t = static_cast<std::uint64_t>(std::max<std::int64_t>(t_ns, 0));
  const std::int64_t late = std::max<std::int64_t>(late_ns, 0);
  while ((t >> width_bits_) >= most_steps) double_steps();
  const auto at = static_cast<std::size_t>(t >> width_bits_);
  ++steps_[at].count;
  steps_[at].max = std::max(steps_[at].max, late);
  ++counts_[at * buckets + scale::index_of(static_cast<std::uint64_t>(late))];
  last_t_ = std::max(last_t_, t);
}

std::int64_t lateness_series::percentile(std::size_t at, double fraction) const {
  const auto wanted =
      static_cast<std::uint64_t>(std::max(1.0, std::ceil(fraction * static_cast<double>(steps_[at].count) - 1e-6)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets; ++i) {
    seen += counts_[at * buckets + i];
    if (seen < wanted) continue;
    const std::uint64_t low = scale::lowest_in(i), width = i + 1 < buckets ? scale::lowest_in(i + 1) - low : 1;
    return std::min(steps_[at].max, static_cast<std::int64_t>(low + width / 2));
  }
  return steps_[at].max;
}

std::vector<lateness_series::point> lateness_series::points() const {
  std::vector<point> seen;
  for (std::size_t i = 0; i < most_steps; ++i) {
    if (steps_[i].count == 0) continue;
    seen.push_back({static_cast<std::uint64_t>(i) << width_bits_, steps_[i].count, percentile(i, 0.5),
                    percentile(i, 0.99), steps_[i].max});
  }
  return seen;
}

}  // namespace detent::tool
