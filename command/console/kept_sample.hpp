// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// An engine in one step of the long history: the worst second of the lateness, the mean of the rates, and the last
// values of the pending timers and of the judgement.
struct kept_sample {
  console_time at{};                    // the end of the last reading in the step
  float seconds = 0;                    // covered by the step's readings
  float p50 = -1, p99 = -1, most = -1;  // nanoseconds; negative if nothing fired
  float scheduled = 0, fired = 0, cancelled = 0, missed = 0, pending = 0;
  severity judged = severity::fine;
};

struct kept_engine {
  std::string id, name;
  std::int64_t process = 0;
};

// How much is kept. With the sizes of a file's parts, this limits the file to 15 MB and the memory to 9 MB.
inline constexpr std::size_t kept_steps = 360, most_kept = 640;

// The length of a step.
constexpr std::chrono::microseconds step_of(std::chrono::microseconds length) {
  return length / static_cast<std::int64_t>(kept_steps);
}

}  // namespace detent::tool
