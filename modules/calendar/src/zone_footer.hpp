// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace detent::detail {

// From `at` on, in seconds since 1970, UTC, local time is ahead of UTC by `offset` seconds.
struct offset_change {
  std::int64_t at;
  std::int64_t offset;

  friend bool operator<(const offset_change& a, const offset_change& b) { return a.at < b.at; }
};

// A day of each year, Jn, n or Mm.w.d in POSIX's TZ, and a time on it by the clock that ends.
struct yearly_date {
  enum class kind : std::uint8_t {
    day_without_leap,  // day 1 to 365; 29 February is not counted
    day_with_leap,     // day 0 to 365
    weekday            // day 0 (Sunday) to 6 in week 1 to 5 of the month, where 5 is the last
  };

  kind by = kind::weekday;
  std::int32_t day = 0;
  std::int32_t week = 0;
  std::int32_t month = 0;
  std::int64_t time = 0;  // seconds since the day's beginning; within a week before or after

  std::int64_t seconds_in(std::chrono::year y) const;  // since 1970, by the clock that ends
};

// The footer of a zone's file, which applies after the last change that the file lists. It is the value of TZ in POSIX
// with the extensions of RFC 9636, such as CET-1CEST,M3.5.0,M10.5.0/3.
class zone_footer {
 public:
  // Throws bad_zone_file.
  explicit zone_footer(std::string_view text);

  // Returns all changes of the years from `first` to `last` in order, after a change at the beginning of time.
  std::vector<offset_change> changes(std::chrono::year first, std::chrono::year last) const;

 private:
  struct daylight {
    std::int64_t offset;
    yearly_date begin, end;
  };

  std::int64_t standard_;
  std::optional<daylight> daylight_;
};

}  // namespace detent::detail
