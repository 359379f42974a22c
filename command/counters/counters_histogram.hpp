// SPDX-License-Identifier: MIT
#pragma once
#include <detent/counters_layout.hpp>
#include <detent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace detent::tool {

// Durations in nanoseconds as a counters file holds them: in log-linear buckets, each with an error below 1 %.
class counters_histogram {
 public:
  counters_histogram() = default;
  // Takes the words of one histogram in the file: its buckets, the sum, the largest value.
  explicit counters_histogram(std::span<const std::uint64_t> words);

  std::uint64_t count() const { return count_; }
  // Returns the smallest value that p percent, from 0 to 100, do not exceed; zero if it is empty.
  duration percentile(double p) const;
  // The largest value. In a difference it is only as exact as the buckets allow.
  duration(max)() const { return duration(max_); }
  duration mean() const;
  // The mean, in nanoseconds, in which each value counts by its own length. It says how long the values are that make
  // up the sum.
  double typical() const;
  duration sum() const;
  std::size_t bytes() const { return counts_.capacity() * sizeof counts_[0]; }  // on the heap
  // Returns how many values are not above `limit`, within the width of one bucket.
  std::uint64_t count_up_to(duration limit) const;

  // Counts `zeros` more zeros, which a part of the lateness leaves out.
  void add_zeros(std::uint64_t zeros);
  // Becomes the histogram of both sets of values.
  void add(const counters_histogram& other);
  // Returns the values recorded since `earlier`, a reading of the same histogram. No count is negative.
  counters_histogram since(const counters_histogram& earlier) const;

  // The range of values that a bucket counts.
  struct range {
    std::int64_t least, most;
    std::int64_t middle() const { return least + (most - least + 1) / 2; }
  };
  static range values_of(std::uint32_t bucket);

 private:
  struct bucket_count {
    std::uint32_t bucket;
    std::uint64_t count;
  };
  double estimated_sum() const;

  std::vector<bucket_count> counts_;  // by bucket, none of them zero
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;  // may wrap
  std::int64_t max_ = 0;
};

}  // namespace detent::tool
