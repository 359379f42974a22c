// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent::tool {

// How many timers were pending, over a span whose length is not known beforehand: the highest count in each of at most
// 1,024 equal steps of time. When the span outgrows them the steps double, so memory is fixed and adding is cheap.
class pending_series {
 public:
  struct point {
    std::uint64_t t_ns;  // where the step begins
    std::uint64_t pending;
  };

  // `t_ns` must not decrease.
  void add(std::uint64_t t_ns, std::uint64_t pending);

  std::uint64_t step_ns() const { return std::uint64_t{1} << width_bits_; }
  std::uint64_t end_ns() const { return last_t_; }
  std::uint64_t highest() const;
  std::vector<point> points() const;  // one per step that saw a sample, ascending

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
