// SPDX-License-Identifier: MIT
// What the single operations cost of which any thread-safe timer is made.
#pragma once

#include <chrono>

#include "../system.hpp"

namespace peers {

// Nanoseconds each; all together are measured for about `length`.
answer floor_costs(std::chrono::milliseconds length);

}  // namespace peers
