// SPDX-License-Identifier: MIT
// Measures the cost of each idle state to a thread that sleeps, by asking the kernel to do without the deeper ones.
#pragma once
#include <detent/time.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

inline constexpr std::array<duration, 3> idle_sleeps = {std::chrono::microseconds(100), std::chrono::milliseconds(1),
                                                        std::chrono::milliseconds(10)};

struct idle_cost {
  // Microseconds for leaving a state, at most; empty for no limit.
  std::optional<long long> limit;
  std::string deepest = {};                                // the deepest state within the limit; empty if unknown
  std::array<std::int64_t, idle_sleeps.size()> late = {};  // p50 for each length of sleep, in nanoseconds
};

struct idle_measurement {
  std::vector<idle_cost> costs;          // first without a limit, then with ever lower ones
  std::string denied = {};               // the reason if no limit could be held
  std::optional<long long> others = {};  // microseconds; another process's limit during the measurement
};

// Sleeps for about `length` altogether, at least once in each way. A limit that it holds through `device` applies to
// the whole machine.
idle_measurement measure_idle_costs(const host_files& host, duration length, const char* device);

// Says which limit pays.
finding judged(const idle_measurement& measured, const char* device);

// Measures this host, through the kernel's own device.
finding cost_of_idle_states(duration length);

}  // namespace detent::tool
