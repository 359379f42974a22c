// SPDX-License-Identifier: MIT
// Yield points, for a program that is linked with detent_hooked.
#include "storm/yield_points.hpp"

#include <search/meetings/hooks.hpp>

namespace stress {

bool have_yield_points() noexcept { return true; }

void yield_at_random(std::uint64_t seed, std::uint32_t every) noexcept { hooks::yield_at_random(seed, every); }

}  // namespace stress
