// SPDX-License-Identifier: MIT
// The parameters and the answer of the work `lateness`, in every program.
#pragma once

#include <cstdint>
#include <vector>

#include "../common/delays.hpp"
#include "../common/process_readings.hpp"
#include "../system.hpp"

namespace peers {

struct lateness_plan {
  explicit lateness_plan(const request& wanted);

  std::uint64_t count;
  std::int64_t between_ns;  // between two schedulings
  delays ahead{std::chrono::milliseconds(1), std::chrono::milliseconds(99)};
};

// Returns exact percentiles. A callback that ran early counts with its negative lateness.
answer lateness_answer(std::vector<std::int64_t> lateness_ns, const stopwatch& watch);

}  // namespace peers
