// SPDX-License-Identifier: MIT
#include "counters/counters_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace detent::tool {
namespace {

constexpr std::uint32_t sub_bits = counters_layout::histogram_sub_bits;
constexpr std::int64_t most_nanoseconds = std::numeric_limits<std::int64_t>::max();

// A file's words may be anything, so a sum stops at the largest value instead of wrapping.
std::uint64_t added(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

}  // namespace

counters_histogram::range counters_histogram::values_of(std::uint32_t bucket) {
  if (bucket < (2U << sub_bits)) return {bucket, bucket};
  const std::uint32_t shift = (bucket >> sub_bits) - 1;
  const std::int64_t low = (std::int64_t{bucket & ((1U << sub_bits) - 1)} + (1 << sub_bits)) << shift;
  return {low, low + ((std::int64_t{1} << shift) - 1)};
}

counters_histogram::counters_histogram(std::span<const std::uint64_t> words) {
  constexpr std::uint32_t buckets = counters_layout::histogram_buckets;
  // Reserves no more than is needed, because many histograms are kept for long.
  counts_.reserve(buckets - static_cast<std::size_t>(std::count(words.begin(), words.begin() + buckets, 0U)));
  for (std::uint32_t i = 0; i < buckets; ++i) {
    if (words[i] == 0) continue;
    counts_.push_back({i, words[i]});
    count_ = added(count_, words[i]);
  }
  sum_ = words[buckets];
  max_ = static_cast<std::int64_t>(std::min<std::uint64_t>(words[buckets + 1], most_nanoseconds));
}

duration counters_histogram::percentile(double p) const {
  if (count_ == 0) return duration(0);
  const auto count = static_cast<double>(count_);
  // The small subtrahend makes up for rounding, by which 99.9 % of 1,000 may come out above 999.
  const double rank = std::max(1.0, std::ceil(std::clamp(p, 0.0, 100.0) / 100.0 * count - 1e-9 * count));
  double below = 0;
  for (const bucket_count& each : counts_) {
    below += static_cast<double>(each.count);
    if (rank < count && below >= rank) return duration(std::min(values_of(each.bucket).middle(), max_));
  }
  return duration(max_);
}

double counters_histogram::estimated_sum() const {
  double sum = 0;
  for (const bucket_count& each : counts_) {
    sum += static_cast<double>(each.count) * static_cast<double>(values_of(each.bucket).middle());
  }
  return sum;
}

duration counters_histogram::sum() const {
  const double estimate = estimated_sum();
  // If the word may have wrapped, the buckets give the sum within their error.
  constexpr double wraps_beyond = 9e18;
  if (estimate >= static_cast<double>(most_nanoseconds)) return duration(most_nanoseconds);
  if (estimate >= wraps_beyond) return duration(static_cast<std::int64_t>(estimate));
  return duration(static_cast<std::int64_t>(std::min<std::uint64_t>(sum_, most_nanoseconds)));
}

duration counters_histogram::mean() const {
  if (count_ == 0) return duration(0);
  return duration(static_cast<std::int64_t>(static_cast<std::uint64_t>(sum().count()) / count_));
}

double counters_histogram::typical() const {
  double sum = 0, weighted = 0;
  for (const bucket_count& each : counts_) {
    const auto value = static_cast<double>(std::min(values_of(each.bucket).middle(), max_));
    const double part = static_cast<double>(each.count) * value;
    sum += part;
    weighted += part * value;
  }
  return sum > 0 ? weighted / sum : 0;
}

std::uint64_t counters_histogram::count_up_to(duration limit) const {
  std::uint64_t count = 0;
  for (const bucket_count& each : counts_) {
    if (values_of(each.bucket).most > limit.count()) break;
    count = added(count, each.count);
  }
  return count;
}

void counters_histogram::add_zeros(std::uint64_t zeros) {
  if (zeros == 0) return;
  count_ = added(count_, zeros);
  if (counts_.empty() || counts_.front().bucket != 0) counts_.insert(counts_.begin(), {0, 0});
  counts_.front().count = added(counts_.front().count, zeros);
}

void counters_histogram::add(const counters_histogram& other) {
  std::vector<bucket_count> both;
  both.reserve(counts_.size() + other.counts_.size());
  std::merge(counts_.begin(), counts_.end(), other.counts_.begin(), other.counts_.end(), std::back_inserter(both),
             [](const bucket_count& a, const bucket_count& b) { return a.bucket < b.bucket; });
  counts_.clear();
  for (const bucket_count& each : both) {
    if (!counts_.empty() && counts_.back().bucket == each.bucket) {
      counts_.back().count = added(counts_.back().count, each.count);
    } else {
      counts_.push_back(each);
    }
  }
  count_ = added(count_, other.count_);
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

counters_histogram counters_histogram::since(const counters_histogram& earlier) const {
  counters_histogram change;
  auto before = earlier.counts_.begin();
  for (const bucket_count& each : counts_) {
    while (before != earlier.counts_.end() && before->bucket < each.bucket) ++before;
    const bool both = before != earlier.counts_.end() && before->bucket == each.bucket;
    const std::uint64_t already = both ? before->count : 0;
    if (each.count <= already) continue;
    change.counts_.push_back({each.bucket, each.count - already});
    change.count_ = added(change.count_, each.count - already);
  }
  if (change.counts_.empty()) return change;
  const auto sum = static_cast<std::int64_t>(sum_ - earlier.sum_);
  change.sum_ = static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
  change.max_ = max_ > earlier.max_ ? max_ : std::min(values_of(change.counts_.back().bucket).most, max_);
  return change;
}

}  // namespace detent::tool
