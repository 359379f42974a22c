// SPDX-License-Identifier: MIT
// One world from its beginning to its end.
#pragma once

#include "world.hpp"

#include <cstdint>

namespace detent::sim {

struct played {
  std::uint64_t digest = 0;
  std::uint64_t events = 0;
};

// Ends the program if the world fails, or if it has left memory behind.
played play(const script& plays, bool tracing);

}  // namespace detent::sim
