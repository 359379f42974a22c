// SPDX-License-Identifier: MIT
// Says whether this program's engine can let other threads run before any of its atomic operations. Programs in which
// it can link yield_points.cpp, and the others no_yield_points.cpp.
#pragma once

#include <cstdint>

namespace stress {

bool have_yield_points() noexcept;
// One operation in `every` on average; 0: none.
void yield_at_random(std::uint64_t seed, std::uint32_t every) noexcept;

}  // namespace stress
