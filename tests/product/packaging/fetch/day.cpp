// SPDX-License-Identifier: MIT
// The calendar, for those who ask for it.
#include <detent/schedule.hpp>

int main() {
  const detent::wall_time midnight = std::chrono::sys_days(std::chrono::year(2040) / 7 / 1);
  return detent::schedule::daily(std::chrono::hours(16)).next(midnight) != midnight + std::chrono::hours(16);
}
