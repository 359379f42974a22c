// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>

#include <detent/time.hpp>

namespace detent::tool {

// Holds back SIGINT and SIGTERM in this thread and in those that it starts later, so that a run can end in order: the
// engine removes its counters file, and what was measured is printed. A signal that the process was started to ignore
// stays ignored.
class held_signals {
 public:
  held_signals();
  held_signals(const held_signals&) = delete;
  held_signals& operator=(const held_signals&) = delete;
  // Takes what is pending; released, it would end the process.
  ~held_signals();

  // Waits until then, or until one of them comes. Returns whether one has.
  bool wait_until(time_point then);

 private:
  sigset_t held_ = {}, earlier_ = {};
};

}  // namespace detent::tool
