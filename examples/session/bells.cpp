// SPDX-License-Identifier: MIT
#include "bells.hpp"

#include <fmt/format.h>

#include <chrono>

namespace session {

using namespace std::chrono_literals;

const char* name_of(bell which) noexcept {
  switch (which) {
    case bell::pre_open: return "pre-open";
    case bell::open: return "open";
    case bell::last_call: return "last call";
    case bell::close: return "close";
  }
  return "";
}

void schedule_bells(detent::calendar& on, const trading_days& days, const detent::time_zone& zone,
                    const std::function<void(const ring&)>& on_ring) {
  const auto daily = [&](std::chrono::seconds time) { return detent::schedule::daily(time, {.zone = zone}); };
  const auto add = [&](bell which, const detent::schedule& when, detent::misfire if_missed) {
    on.schedule_on(when,
                   [&on, on_ring, which](const detent::calendar_firing& run) {
                     on_ring({which, run.planned(), on.now()});
                   },
                   {.on_misfire = if_missed});
  };
  add(bell::pre_open, daily(9h).only_on(days.all), detent::misfire::skip);
  add(bell::open, daily(9h + 30min).only_on(days.all), detent::misfire::skip);
  for (const auto& close : {daily(16h).only_on(days.whole), daily(13h).only_on(days.half)}) {
    // A year without half days has nothing to schedule at 13:00.
    if (!close.next(on.now())) continue;
    add(bell::last_call, close.shifted(-5min), detent::misfire::once);
    add(bell::close, close, detent::misfire::once);
  }
}

std::string local_text(detent::wall_time at, const detent::time_zone& zone) {
  static constexpr const char* weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const detent::wall_time local = at + zone.offset(at);
  const auto day = std::chrono::floor<std::chrono::days>(local);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::milliseconds>(local - day));
  return fmt::format("{} {:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", weekdays[std::chrono::weekday(day).c_encoding()],
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), time.hours().count(), time.minutes().count(),
                     time.seconds().count(), time.subseconds().count());
}

}  // namespace session
