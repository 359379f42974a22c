// SPDX-License-Identifier: MIT
// The days of an exchange, from two files.
#pragma once

#include <detent/day_set.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace session {

struct trading_days {
  detent::day_set all;   // weekdays that are no holidays
  detent::day_set half;  // of these, those that end early
  detent::day_set whole;

  // `half_file` lists days in the form that `holidays` has; empty: there are none. Throws detent::error.
  static trading_days of(std::chrono::year year, const std::string& holidays, const std::string& half_file);
  // How many of that year are trading days. Throws detent::error where they are not all known.
  std::size_t count(std::chrono::year year) const;
};

}  // namespace session
