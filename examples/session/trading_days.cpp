// SPDX-License-Identifier: MIT
#include "trading_days.hpp"

#include <vector>

namespace session {
namespace {

template <class Visit>
void for_each_day(std::chrono::year year, Visit&& visit) {
  const std::chrono::sys_days end = std::chrono::year_month_day((year + std::chrono::years(1)) / 1 / 1);
  for (std::chrono::sys_days day = std::chrono::year_month_day(year / 1 / 1); day < end; day += std::chrono::days(1))
    visit(std::chrono::year_month_day(day));
}

}  // namespace

trading_days trading_days::of(std::chrono::year year, const std::string& holidays, const std::string& half_file) {
  const detent::day_set all = detent::day_set::weekdays() & detent::day_set::from_file(holidays);
  std::vector<detent::civil_day> early;
  if (!half_file.empty()) {
    // A file of days gives all the others.
    const detent::day_set others = detent::day_set::from_file(half_file);
    for_each_day(year, [&](detent::civil_day day) {
      if (!others.contains(day) && all.contains(day)) early.push_back(day);
    });
  }
  return {all, detent::day_set::of(early), all.without(early)};
}

std::size_t trading_days::count(std::chrono::year year) const {
  std::size_t days = 0;
  for_each_day(year, [&](detent::civil_day day) {
    if (all.contains(day)) ++days;
  });
  return days;
}

}  // namespace session
