// SPDX-License-Identifier: MIT
// What a program can say of its timers without asking them: how many it armed, how many fired, and when.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace rpc {

using steady = std::chrono::steady_clock;

struct timer_ledger {
  std::uint64_t armed = 0;
  std::uint64_t disarmed = 0;  // before they fired
  std::uint64_t fired = 0;
  std::uint64_t early = 0;  // fired before their deadline
  std::vector<std::chrono::nanoseconds> lateness;

  void fire(steady::time_point deadline, steady::time_point now) {
    ++fired;
    if (now < deadline) ++early;
    lateness.push_back(now - deadline);
  }
  void add(const timer_ledger& other) {
    armed += other.armed;
    disarmed += other.disarmed;
    fired += other.fired;
    early += other.early;
    lateness.insert(lateness.end(), other.lateness.begin(), other.lateness.end());
  }
};

}  // namespace rpc
