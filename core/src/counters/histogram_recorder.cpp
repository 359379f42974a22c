// SPDX-License-Identifier: MIT
#include "counters/histogram_recorder.hpp"

#include <detent/base/compiler.hpp>

#include <algorithm>
#include <cmath>

namespace detent {
namespace detail {

// Relaxed throughout: as in record_alone().
void histogram_recorder::record_shared(nanoseconds_t nanoseconds) noexcept {
  auto value = static_cast<std::uint64_t>(nanoseconds);
  buckets_[histogram_scale::bucket(value)].fetch_add(1, base::relaxed);
  sum_.fetch_add(value, base::relaxed);
  std::int64_t seen = max_.load(base::relaxed), mine = static_cast<std::int64_t>(value);
  while (seen < mine && !max_.compare_exchange_weak(seen, mine, base::relaxed, base::relaxed)) {
  }
}

DETENT_COLD histogram histogram_recorder::snapshot() const {
  histogram made;
  made.buckets_.resize(buckets_.size());
  constexpr double sum_limit = 9e18;
  double estimate = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    made.buckets_[i] = buckets_[i].load(base::relaxed);
    made.count_ += made.buckets_[i];
    estimate += static_cast<double>(made.buckets_[i]) * static_cast<double>(histogram_scale::value(i));
  }
  // Exact, unless centuries of lateness have been added up: then the buckets' middles give it within their error.
  made.sum_ = estimate < sum_limit ? static_cast<double>(sum_.load(base::relaxed)) : estimate;
  made.max_ = max_.load(base::relaxed);
  return made;
}

void histogram_recorder::add_zeros(histogram& part, const histogram& whole) noexcept {
  if (whole.count_ <= part.count_) return;
  part.buckets_[0] += whole.count_ - part.count_;
  part.count_ = whole.count_;
}

}  // namespace detail

duration histogram::percentile(double p) const noexcept {
  if (count_ == 0) return duration(0);
  double share = std::clamp(p, 0.0, 100.0) / 100.0 * static_cast<double>(count_);
  // The hair less forgives that 99.9 % of 1,000 comes out above 999.
  auto rank = static_cast<std::uint64_t>(std::ceil(share - 1e-9 * static_cast<double>(count_)));
  rank = std::clamp<std::uint64_t>(rank, 1, count_);
  if (rank == count_) return max();
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    below += buckets_[i];
    if (below >= rank) {
      auto middle = static_cast<std::int64_t>(detail::histogram_scale::value(i));
      return duration(std::min(middle, max_));  // the last bucket's middle may lie above all that was seen
    }
  }
  return max();
}

duration histogram::mean() const noexcept {
  return count_ == 0 ? duration(0) : duration(static_cast<std::int64_t>(sum_ / static_cast<double>(count_)));
}

histogram& histogram::operator+=(const histogram& other) {
  if (buckets_.size() < other.buckets_.size()) buckets_.resize(other.buckets_.size());
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
  return *this;
}

// One that was never filled has no buckets, and equals one whose buckets are all empty.
bool histogram::equals(const histogram& other) const noexcept {
  if (count_ != other.count_ || max_ != other.max_) return false;
  return count_ == 0 || buckets_ == other.buckets_;
}

}  // namespace detent
