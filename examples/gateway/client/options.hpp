// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace load {

// The faults that happen besides the load.
struct fault_choice {
  bool silent = false;   // clients that send nothing any more
  bool drop = false;     // connections that break
  bool flood = false;    // clients that send thousands of messages at once
  bool garbage = false;  // lines that are no messages
  bool freeze = false;   // SIGSTOP of the gateway, for two seconds
};

struct options {
  std::uint16_t port = 0;
  std::size_t sessions = 5000;
  std::chrono::seconds time{20};
  std::chrono::milliseconds interval{1000};  // of heartbeats
  std::uint64_t orders_a_second = 1000;
  std::uint64_t seed = 0;  // 0: any
  pid_t gateway = 0;
  fault_choice faults;
};

}  // namespace load
