// SPDX-License-Identifier: MIT
// One timer's account: what a world knows of it beside the specification.
#pragma once

#include <detent/timer.hpp>

#include "spec/timer.hpp"

#include <cstdint>

namespace detent::sim {

using spec::end_of_time;
using spec::minus;
using spec::nanoseconds_t;
using spec::plus;
using spec::repetition;

using timer_id = std::uint32_t;

struct account {
  timer_id id = 0;
  std::uint32_t epoch = 0;       // which engine
  spec::timer_id specified = 0;  // its number in the specification of that engine; 0: it was never scheduled
  timer handle;
  bool witnessed = false;  // its callable reports its destruction
  bool destroyed = false;
  bool boxed = false;
  timer_id owns = 0;  // the timer that its captures own; 0: none
};

}  // namespace detent::sim
