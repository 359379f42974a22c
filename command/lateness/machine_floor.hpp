// SPDX-License-Identifier: MIT
#pragma once
#include "lateness/lateness_log.hpp"

namespace detent::tool {

// How late this machine makes a thread that has nothing to do but be on time, with no engine about: what no engine can
// be better than. Measured in instalments beside what it is compared with.
struct machine_floor {
  static constexpr int wakeups = 200;  // of each kind in an instalment

  // Adds an instalment: half a millisecond to each wake-up, 0.2 s in all. Sets the calling thread's timer slack to 1
  // ns.
  void measure();

  lateness_log spin;   // reads the clock until the instant has come
  lateness_log sleep;  // clock_nanosleep, and nothing else
};

}  // namespace detent::tool
