// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <limits>

namespace detent::tool {

enum class trace_op : std::uint8_t { schedule, restart, cancel, expired };

// One operation of a recorded timer trace, as the file has it.
struct trace_row {
  std::uint64_t t_ns = 0;  // since the trace's zero, never decreasing
  std::uint64_t id = 0;
  std::uint64_t delay_ns = 0;  // 0 if the row leaves it empty
  trace_op op = trace_op::schedule;
};

// Engine time ends with a signed 64-bit count of nanoseconds. All later instants of a trace stand for that one.
constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();

constexpr std::int64_t saturated(std::uint64_t ns) {
  return ns > static_cast<std::uint64_t>(end_of_time) ? end_of_time : static_cast<std::int64_t>(ns);
}

// Returns when the timer that this row arms is due, counted from the trace's zero.
constexpr std::int64_t deadline_of(const trace_row& row) {
  const std::uint64_t sum = row.t_ns + row.delay_ns;
  return sum < row.t_ns ? end_of_time : saturated(sum);
}

}  // namespace detent::tool
