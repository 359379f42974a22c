// SPDX-License-Identifier: MIT
// The costs of the single operations of which any thread-safe timer is made.
#pragma once

#include <chrono>

#include "../system.hpp"

namespace peers {

// Returns nanoseconds for each; measuring all of them takes about `length`.
answer floor_costs(std::chrono::milliseconds length);

}  // namespace peers
