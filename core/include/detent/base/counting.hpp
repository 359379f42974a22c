// SPDX-License-Identifier: MIT
#pragma once

namespace detent::base {

// Says whether lateness is split by cause. It is off only in the copy of the engine that measures the cost of this
// (bench/observe_cost.cpp).
#ifdef DETENT_UNCOUNTED
inline constexpr bool counts_causes = false;
#else
inline constexpr bool counts_causes = true;
#endif

}  // namespace detent::base
