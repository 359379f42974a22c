// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent::tool {

// The number of pending timers over a span of unknown length, as the highest count in each of at most 1,024 equal steps
// of time. If the span becomes too long, the steps double in length, so memory is fixed and adding is cheap.
class pending_series {
 public:
  struct point {
    std::uint64_t t_ns;  // the beginning of the step
    std::uint64_t pending;
  };

  // `t_ns` must not decrease.
  void add(std::uint64_t t_ns, std::uint64_t pending);

  std::uint64_t step_ns() const { return std::uint64_t{1} << width_bits_; }
  std::uint64_t end_ns() const { return last_t_; }
  std::uint64_t highest() const;
  std::vector<point> points() const;  // one for each step with samples, in ascending order

 private:
  struct step {
    std::uint64_t highest = 0;
    bool seen = false;
  };

  void double_steps();

  static constexpr std::size_t most_steps = 1024;
  std::vector<step> steps_;
  unsigned width_bits_ = 0;
  std::uint64_t last_t_ = 0;
};

}  // namespace detent::tool
