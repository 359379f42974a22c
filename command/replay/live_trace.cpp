// SPDX-License-Identifier: MIT
#include "replay/live_trace.hpp"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>

#include "replay/trace_reader.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

std::int64_t scaled(std::int64_t ns, double speed) {
  if (speed == 1 || ns == end_of_time) return ns;
  const double quotient = static_cast<double>(ns) / speed;
  return quotient >= static_cast<double>(end_of_time) ? end_of_time : static_cast<std::int64_t>(quotient);
}

}  // namespace

live_trace load_live_trace(const std::string& path, double speed, duration longest) {
  trace_reader reader(path);
  live_trace trace;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  trace_row row;
  while (reader.next(row)) {
    const std::int64_t at_ns = scaled(saturated(row.t_ns), speed);
    if (at_ns > longest.count()) break;
    const auto number = static_cast<std::uint32_t>(numbers.size());
    const auto timer = numbers.try_emplace(row.id, number).first->second;
    if (numbers.size() >= std::numeric_limits<std::uint32_t>::max()) {
      throw input_error(fmt::format("{}: more than 2^32 different ids: replay it with --virtual", printable(path)));
    }
    trace.rows.push_back(
        {.at_ns = at_ns, .deadline_ns = scaled(deadline_of(row), speed), .timer = timer, .op = row.op});
    trace.span_ns = row.t_ns;
  }
  trace.timers = numbers.size();
  trace.dropped = reader.dropped();
  return trace;
}

}  // namespace detent::tool
