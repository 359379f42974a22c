// SPDX-License-Identifier: MIT
#pragma once
#include "lateness/lateness_log.hpp"

namespace detent::tool {

// How late this machine makes a thread that only tries to be on time, without any engine. No engine can be better. It
// is measured in instalments beside the run that it is compared with.
struct machine_floor {
  static constexpr int wakeups = 200;  // of each kind in an instalment

  // Adds an instalment, which takes half a millisecond for each wake-up and 0.2 s in all. Sets the calling thread's
  // timer slack to 1 ns.
  void measure();

  lateness_log spin;   // by reading the clock until the instant has come
  lateness_log sleep;  // by clock_nanosleep only
};

}  // namespace detent::tool
