// SPDX-License-Identifier: MIT
// No yield points, for a program that is linked with the engine as it is.
#include "storm/yield_points.hpp"

namespace stress {

bool have_yield_points() noexcept { return false; }

void yield_at_random(std::uint64_t, std::uint32_t) noexcept {}

}  // namespace stress
