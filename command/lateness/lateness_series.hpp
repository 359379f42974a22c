// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent::tool {

// Lateness in the course of a run: a small histogram for each of at most 256 equal steps of time. Recording never
// allocates; if a run takes longer than expected, the steps double in length. One thread at a time may write.
class lateness_series {
 public:
  struct point {
    std::uint64_t t_ns;  // the beginning of the step
    std::uint64_t count;
    std::int64_t p50, p99;  // within 3 %
    std::int64_t max;       // exact
  };

  lateness_series() : lateness_series(0) {}
  explicit lateness_series(std::uint64_t expected_ns);

  void record(std::int64_t t_ns, std::int64_t late_ns) noexcept;  // a negative value counts as zero

  std::uint64_t step_ns() const { return std::uint64_t{1} << width_bits_; }
  std::uint64_t end_ns() const { return last_t_; }
  std::vector<point> points() const;  // one for each step with samples, in ascending order

 private:
  struct step {
    std::uint64_t count = 0;
    std::int64_t max = 0;
  };

  void double_steps() noexcept;
  void merge(std::size_t into, std::size_t from) noexcept;
  std::int64_t percentile(std::size_t at, double fraction) const;

  unsigned width_bits_ = 0;
  std::uint64_t last_t_ = 0;
  std::vector<step> steps_;
  std::vector<std::uint32_t> counts_;  // step after step
};

}  // namespace detent::tool
