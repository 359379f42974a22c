// SPDX-License-Identifier: MIT
#include "submission/fence_policy.hpp"

#include <detent/base/atomic.hpp>

#include <array>
#include <chrono>

namespace detent::detail {

nanoseconds_t fence_policy::measure_cost() noexcept {
  std::array<nanoseconds_t, 3> took{};
  for (nanoseconds_t& each : took) {
    const auto begin = std::chrono::steady_clock::now();
    if (!base::heavy_fence()) return 0;
    each = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  }
  std::sort(took.begin(), took.end());
  return took[1];
}

}  // namespace detent::detail
