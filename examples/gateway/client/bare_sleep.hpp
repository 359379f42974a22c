// SPDX-License-Identifier: MIT
#pragma once

#include <stop_token>
#include <thread>

#include "samples.hpp"

namespace load {

// The lateness of a sleep on this host without any timers of the gateway: a thread that only calls clock_nanosleep() to
// each millisecond, and notes how late it wakes. This is the host's own jitter, measured while the load runs.
class bare_sleep {
 public:
  bare_sleep() : thread_([this](const std::stop_token& stop) { run(stop); }) {}
  // Ends the thread.
  samples take();

 private:
  void run(const std::stop_token& stop);

  samples lateness_;  // the thread's, until it has ended
  std::jthread thread_;
};

}  // namespace load
