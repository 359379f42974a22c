// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent::tool {

// Lateness along a run: for each of at most 256 equal steps of time a small histogram. Recording never allocates; when
// a run outgrows what was expected the steps double. For one writing thread at a time.
class lateness_series {
 public:
  struct point {
    std::uint64_t t_ns;  // where the step begins
    std::uint64_t count;
    std::int64_t p50, p99;  // within 3 %
    std::int64_t max;       // exact
  };

  lateness_series() : lateness_series(0) {}
  explicit lateness_series(std::uint64_t expected_ns);

  void record(std::int64_t t_ns, std::int64_t late_ns) noexcept;  // below zero counts as zero

  std::uint64_t step_ns() const { return std::uint64_t{1} << width_bits_; }
  std::uint64_t end_ns() const { return last_t_; }
  std::vector<point> points() const;  // one per step in which something was recorded, ascending

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
  std::vector<std::uint32_t> counts_;  // of each step, one after the other
};

}  // namespace detent::tool
