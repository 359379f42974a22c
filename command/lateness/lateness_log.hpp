// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

namespace detent::tool {

// A histogram of nanoseconds from 0 to 2^63 - 1 with 128 buckets per power of two. Its error is below 1 %, and it is
// exact up to 255 ns. Recording never allocates. One thread at a time may write; read it when that thread has ended or
// is suspended.
class lateness_log {
 public:
  struct bucket {
    std::int64_t low, high;  // for values from low to high
    std::uint64_t count;
  };

  lateness_log();

  void record(std::int64_t ns, std::uint64_t times = 1) noexcept;  // a negative value counts as zero
  void merge(const lateness_log& other);

  std::uint64_t count() const { return count_; }
  std::int64_t max() const { return max_; }
  // Returns the value that p percent (0 to 100) of the samples do not exceed, or 0 without samples.
  std::int64_t percentile(double p) const;
  std::vector<bucket> buckets() const;  // those that are not empty, in ascending order

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::int64_t max_ = 0;
};

}  // namespace detent::tool
