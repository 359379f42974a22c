// SPDX-License-Identifier: MIT
// There is no heavy fence: both sides pay for a fence of their own.
#include <detent/base/atomic.hpp>

namespace detent::base {

bool heavy_fence() noexcept { return false; }
bool enable_heavy_fence() noexcept { return false; }

}  // namespace detent::base
