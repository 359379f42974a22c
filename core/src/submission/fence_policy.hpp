// SPDX-License-Identifier: MIT
// Hysteresis for the doorbell's asymmetric fence: which side takes the cost.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>
#include <detent/time.hpp>

#include "limits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace detent::detail {

// Decides which side pays for the fences of doorbell.hpp. A full fence costs a producer 5 ns a push. A heavy one costs
// the driver, and each core that runs a thread of the process, some microseconds a raise of the wake time.
class fence_policy {
 public:
  // `cpus`: how many the process may use.
  explicit fence_policy(unsigned cpus) noexcept : break_even_(std::max(cpus, 2U) * limits::pushes_a_cpu) {}

  // This many pushes cost as much as one raise; beyond twice as many the driver pays.
  std::uint64_t break_even() const noexcept { return break_even_; }
  void count_pushes(std::uint64_t pushes) noexcept { pushes_ += pushes; }
  void count_raise() noexcept { raises_ += break_even_; }
  // Returns whether the driver should pay, given whether it does now. It changes its mind only on evidence of some
  // size.
  bool prefers_asymmetric(bool now) noexcept {
    if (pushes_ + raises_ < limits::fence_evidence * break_even_) return now;
    bool preferred = now ? pushes_ >= raises_ : pushes_ > 2 * raises_;
    pushes_ /= 2;
    raises_ /= 2;
    return preferred;
  }

  // How long the first heavy fences took here, in nanoseconds. On a host on which they take longer, the break-even is
  // higher.
  bool has_cost() const noexcept { return has_cost_; }
  void set_cost(nanoseconds_t cost) noexcept {
    has_cost_ = true;
    const auto times = static_cast<std::uint64_t>(std::clamp<nanoseconds_t>(cost / limits::usual_fence, 1, 64));
    break_even_ *= times;
    raises_ *= times;
  }
  // Makes three heavy fences; the median of what they took.
  DETENT_COLD static nanoseconds_t measure_cost() noexcept {
    std::array<nanoseconds_t, 3> took{};
    for (nanoseconds_t& each : took) {
      const nanoseconds_t begin = to_ns(clock::now());
      if (!base::heavy_fence()) return 0;
      each = to_ns(clock::now()) - begin;
    }
    const auto [less, more] = std::minmax(took[0], took[1]);
    return std::clamp(took[2], less, more);
  }

 private:
  std::uint64_t break_even_;
  bool has_cost_ = false;
  std::uint64_t pushes_ = 0;
  std::uint64_t raises_ = 0;  // multiplied by break_even_
};

}  // namespace detent::detail
