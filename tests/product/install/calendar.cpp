// SPDX-License-Identifier: MIT
// The calendar, as a user of the installed package has it.
#include <detent/calendar.hpp>
#include <detent/detent.hpp>
#include <detent/schedule.hpp>

#include <chrono>

#include "expect.hpp"

int main() {
  const auto noon = detent::schedule::quartz("0 0 12 1 7 ?", {.zone = detent::time_zone::load("America/New_York")});
  const detent::wall_time start = std::chrono::sys_days(std::chrono::year(2040) / 1 / 1);
  const detent::wall_time end = std::chrono::sys_days(std::chrono::year(2040) / 7 / 1) + std::chrono::hours(16);
  EXPECT(noon.next(start) == end);

  detent::manual_clock clock;
  detent::engine engine({.manual = &clock});
  detent::calendar calendar(engine, {.virtual_epoch = start});
  bool ran = false;
  calendar.schedule_on(noon, [&](detent::calendar_firing& run) { ran = run.planned() == end; });
  clock.advance(end - start);
  engine.poll();
  EXPECT(ran);
}
