// SPDX-License-Identifier: MIT
// Hysteresis for the doorbell's asymmetric fence: which side takes the cost.
#pragma once

#include <cstdint>

namespace detent::detail {

// Which side should pay for the fences of doorbell.hpp. A full fence costs a producer 5 ns a push; a heavy one costs
// the driver, and each core that runs a thread of the process, some microseconds a raise of the wake time.
class fence_policy {
 public:
  // As many pushes cost as much as one raise; beyond twice as many the driver pays.
  static constexpr std::uint64_t break_even = 1024;

  void count_pushes(std::uint64_t pushes) noexcept { pushes_ += pushes; }
  void count_raise() noexcept { raises_ += break_even; }
  // Whether the driver should pay, given whether it does; changes its mind on evidence of some size only.
  bool prefers_asymmetric(bool now) noexcept {
    if (pushes_ + raises_ < 16 * break_even) return now;
    bool preferred = now ? pushes_ >= raises_ : pushes_ > 2 * raises_;
    pushes_ /= 2;
    raises_ /= 2;
    return preferred;
  }

 private:
  std::uint64_t pushes_ = 0;
  std::uint64_t raises_ = 0;  // times break_even
};

}  // namespace detent::detail
