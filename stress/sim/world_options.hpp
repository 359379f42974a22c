// SPDX-License-Identifier: MIT
// What kind of world a seed makes: its habits for its whole life, and the options of each of its engines.
#pragma once

#include <detent/options.hpp>

#include "account.hpp"

#include <cstdint>

#include "support/splitmix.hpp"

namespace detent::sim {

// What an executor does with what it is given; weights.
struct executor_habits {
  unsigned run = 0, hold = 0, refuse = 0, let_go = 0;
};

struct world_habits {
  unsigned threads = 1;  // the world's own included
  std::uint64_t steps = 0;
  nanoseconds_t start = 0;
  unsigned delay_bits = 20;    // most delays are below 2^this
  unsigned tie_percent = 30;   // delays of a few ticks, so that deadlines coincide
  unsigned edge_percent = 10;  // delays at the edges of wheel slots
  unsigned periodic_percent = 15;
  unsigned fault_percent = 0;    // of calls during which memory is refused
  unsigned throw_percent = 5;    // of callbacks
  unsigned crowd = 64;           // about so many timers are kept pending
  bool destroys_inside = false;  // callbacks may destroy the engine
  bool far_deadlines = false;    // some at the end of time
};

struct engine_habits {
  detent::engine_options options;  // without clock and executor
  bool has_executor = false;
  executor_habits executor;
};

// `steps`: 0 leaves it to the seed.
world_habits draw_world(test::splitmix& random, std::uint64_t steps);
engine_habits draw_engine(test::splitmix& random);

}  // namespace detent::sim
