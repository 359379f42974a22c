// SPDX-License-Identifier: MIT
// What the single operations cost of which any thread-safe timer is made.
#pragma once

#include <chrono>

#include "../system.hpp"

namespace peers {

// Nanoseconds each, measured for about as long as told altogether.
answer floor_costs(std::chrono::milliseconds length);

}  // namespace peers
