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
  std::optional<long long> limit;                          // us that leaving a state may take; none: no limit
  std::string deepest = {};                                // the deepest state within it; empty: not known
  std::array<std::int64_t, idle_sleeps.size()> late = {};  // p50 of each length of sleep, ns
};

struct idle_measurement {
  std::vector<idle_cost> costs;          // without a limit first, then by falling limits
  std::string denied = {};               // why no limit could be held
  std::optional<long long> others = {};  // a limit that another process held during the measurement, us
};

// Sleeps for about `length` altogether, at least once in each way. While it holds a limit through `device` it does so
// for the whole machine.
idle_measurement measure_idle_costs(const host_files& host, duration length, const char* device);

// Which limit pays?
finding judged(const idle_measurement& measured, const char* device);

// On this host, by the kernel's own device.
finding cost_of_idle_states(duration length);

}  // namespace detent::tool
