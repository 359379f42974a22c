// SPDX-License-Identifier: MIT
#include "lateness/lateness_log.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lateness/log_buckets.hpp"

namespace detent::tool {
namespace {

using scale = log_buckets<7>;

static_assert(scale::index_of(~std::uint64_t{0} >> 1) == scale::count - 1, "the largest value has the last bucket");
static_assert(scale::lowest_in(scale::index_of(1'000'000)) <= 1'000'000 &&
                  scale::lowest_in(scale::index_of(1'000'000) + 1) > 1'000'000,
              "a value lies between the lower ends of its bucket and of the next");

}  // namespace

lateness_log::lateness_log() : counts_(scale::count) {}

void lateness_log::record(std::int64_t ns, std::uint64_t times) noexcept {
  const std::int64_t value = std::max<std::int64_t>(ns, 0);
  counts_[scale::index_of(static_cast<std::uint64_t>(value))] += times;
  count_ += times;
  max_ = std::max(max_, value);
}

void lateness_log::merge(const lateness_log& other) {
  for (std::size_t i = 0; i < scale::count; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

std::int64_t lateness_log::percentile(double p) const {
  constexpr double rounding = 1e-6;  // 99.9 % of 10,000 is 9,990, but not in binary arithmetic
  const double share = std::clamp(p, 0.0, 100.0) / 100 * static_cast<double>(count_);
  const auto wanted = static_cast<std::uint64_t>(std::max(1.0, std::ceil(share - rounding)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < scale::count; ++i) {
    seen += counts_[i];
    if (seen >= wanted) {
      return std::min(max_, static_cast<std::int64_t>(scale::lowest_in(i + 1) - 1));
    }
  }
  return max_;
}

std::vector<lateness_log::bucket> lateness_log::buckets() const {
  std::vector<bucket> filled;
  for (std::size_t i = 0; i < scale::count; ++i) {
    if (counts_[i] == 0) continue;
    filled.push_back({static_cast<std::int64_t>(scale::lowest_in(i)),
                      static_cast<std::int64_t>(scale::lowest_in(i + 1) - 1), counts_[i]});
  }
  return filled;
}

}  // namespace detent::tool
