// SPDX-License-Identifier: MIT
#include "lateness_log.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace detent::tool {
namespace {

constexpr int sub_bits = 7;
constexpr std::uint64_t sub_buckets = std::uint64_t{1} << sub_bits;
constexpr std::size_t bucket_count = (63 - sub_bits + 1) * sub_buckets;

// Values below 2 * sub_buckets have a bucket each; above, the shift that brings a value into [sub_buckets, 2 *
// sub_buckets) numbers the group.
constexpr std::size_t index_of(std::uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - sub_bits - 1);
  return static_cast<std::size_t>(shift) * sub_buckets + (value >> shift);
}

constexpr std::uint64_t lowest_in(std::size_t index) {
  if (index < 2 * sub_buckets) return index;
  const std::size_t shift = index / sub_buckets - 1;
  return (index - shift * sub_buckets) << shift;
}

static_assert(index_of(~std::uint64_t{0} >> 1) == bucket_count - 1, "the largest value has the last bucket");
static_assert(lowest_in(index_of(1'000'000)) <= 1'000'000 && lowest_in(index_of(1'000'000) + 1) > 1'000'000,
              "a value lies between the lower ends of its bucket and of the next");

}  // namespace

lateness_log::lateness_log() : counts_(bucket_count) {}

void lateness_log::record(std::int64_t ns, std::uint64_t times) noexcept {
  const std::int64_t value = std::max<std::int64_t>(ns, 0);
  counts_[index_of(static_cast<std::uint64_t>(value))] += times;
  count_ += times;
  max_ = std::max(max_, value);
}

void lateness_log::merge(const lateness_log& other) {
  for (std::size_t i = 0; i < bucket_count; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

std::int64_t lateness_log::percentile(double p) const {
  constexpr double rounding = 1e-6;  // 99.9 percent of 10,000 is 9,990 samples, though not in binary
  const double share = std::clamp(p, 0.0, 100.0) / 100 * static_cast<double>(count_);
  const auto wanted = static_cast<std::uint64_t>(std::max(1.0, std::ceil(share - rounding)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    seen += counts_[i];
    if (seen >= wanted) {
      return std::min(max_, static_cast<std::int64_t>(lowest_in(i + 1) - 1));
    }
  }
  return max_;
}

std::vector<lateness_log::bucket> lateness_log::buckets() const {
  std::vector<bucket> filled;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    if (counts_[i] == 0) continue;
    filled.push_back(
        {static_cast<std::int64_t>(lowest_in(i)), static_cast<std::int64_t>(lowest_in(i + 1) - 1), counts_[i]});
  }
  return filled;
}

}  // namespace detent::tool
