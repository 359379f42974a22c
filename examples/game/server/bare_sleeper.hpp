// SPDX-License-Identifier: MIT
// What the ticks are compared with: a thread that does nothing but clock_nanosleep() to the next 60th of a second.
#pragma once

#include "net/durations.hpp"

#include <cstdint>
#include <stop_token>
#include <thread>

namespace game {

class bare_sleeper {
 public:
  bare_sleeper();
  // Ends it; how late it woke up each time, without the periods that it missed.
  durations& stop();

 private:
  void run(std::stop_token ending);

  durations lateness_;
  std::jthread thread_;
};

}  // namespace game
