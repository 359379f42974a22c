// SPDX-License-Identifier: MIT
// Times as the tests of schedules write them.
#pragma once

#include <detent/schedule.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace detent::calendar_test {

using std::chrono::day;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::month;
using std::chrono::year;

// A time in UTC.
inline wall_time at(int y, unsigned m, unsigned d, int hour = 0, int minute = 0, int second = 0) {
  return std::chrono::sys_days(year(y) / month(m) / day(d)) + hours(hour) + minutes(minute) +
         std::chrono::seconds(second);
}

inline schedule_options in(const char* zone, in_gap gap = in_gap::after, in_overlap overlap = in_overlap::once) {
  return {.zone = time_zone::load(zone), .gap = gap, .overlap = overlap};
}

inline std::vector<wall_time> due(const schedule& when, wall_time after, std::size_t count) {
  std::vector<wall_time> all;
  for (std::optional<wall_time> next = after; all.size() < count && (next = when.next(*next));) all.push_back(*next);
  return all;
}

using times = std::vector<wall_time>;

}  // namespace detent::calendar_test
