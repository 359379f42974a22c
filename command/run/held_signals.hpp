// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>

#include <detent/time.hpp>

namespace detent::tool {

// Blocks SIGINT and SIGTERM in this thread and in those that it starts later. So a run can end in order: the engine
// removes its counters file, and the results are printed. A signal that the process was started to ignore stays
// ignored.
class held_signals {
 public:
  held_signals();
  held_signals(const held_signals&) = delete;
  held_signals& operator=(const held_signals&) = delete;
  // Takes pending signals, which would end the process once they are unblocked.
  ~held_signals();

  // Waits until that time or until one of the signals comes. Returns whether one has come.
  bool wait_until(time_point then);

 private:
  sigset_t held_ = {}, earlier_ = {};
};

}  // namespace detent::tool
