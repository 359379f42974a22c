// SPDX-License-Identifier: MIT
#include "stepped_day.hpp"

#include "bells.hpp"
#include "promises.hpp"
#include "virtual_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace session {
namespace {

using namespace std::chrono_literals;

struct chosen_day {
  std::chrono::sys_days day;
  bool half;
};

std::optional<chosen_day> choose(std::chrono::year year, const trading_days& days) {
  std::optional<chosen_day> chosen;
  const std::chrono::sys_days end = std::chrono::year_month_day((year + std::chrono::years(1)) / 1 / 1);
  for (std::chrono::sys_days day = std::chrono::year_month_day(year / 1 / 1); day < end; day += std::chrono::days(1)) {
    const bool half = days.half.contains(day);
    if (half || (days.all.contains(day) && !(chosen && chosen->half))) chosen = {day, half};
  }
  return chosen;
}

}  // namespace

bool replay_stepped_day(std::chrono::year year, const trading_days& days, const detent::time_zone& zone) {
  const std::optional<chosen_day> chosen = choose(year, days);
  if (!chosen) return promise(false, "there is a trading day in that year");
  const detent::wall_time noon = chosen->day + 12h;
  const detent::wall_time midnight = chosen->day - zone.offset(noon);
  const auto close = midnight + (chosen->half ? 13h : 16h);
  std::vector<ring> rings;
  virtual_market market(
      midnight + 8h, {.on_step =
                          [&](const detent::clock_step& step) {
                            fmt::print("{}  the clock was set, by {:+.1f} s; {} timers moved\n",
                                       local_text(step.now, zone), std::chrono::duration<double>(step.by).count(),
                                       step.moved);
                          },
                      .on_end = [](const detent::schedule_end&) {}});  // on the last day of the list each schedule ends
  schedule_bells(market.timers(), days, zone, [&](const ring& now) {
    rings.push_back(now);
    fmt::print("{}  {}\n", local_text(now.at, zone), name_of(now.which));
  });
  const detent::wall_time open = midnight + 9h + 30min;
  market.run_until(open - 1ms);
  market.set_clock(open - 2s);  // just before the opening
  market.run_until(open + 1s);
  market.set_clock(open - 1s);  // just after it
  market.run_until(close - 6min);
  market.set_clock(close - 4min);  // over the last call
  market.run_until(close + 1h);

  const auto count = [&](bell which) {
    return std::count_if(rings.begin(), rings.end(), [which](const ring& each) { return each.which == which; });
  };
  bool kept = promise(count(bell::open) == 1, "the market opened once");
  kept &= promise(std::all_of(rings.begin(), rings.end(), [](const ring& each) { return each.at >= each.planned; }),
                  "no bell early by the wall clock");
  kept &= promise(count(bell::last_call) == 1, "the last call over which the clock was set came at once");
  kept &= promise(!rings.empty() && rings.back().which == bell::close && rings.back().at == close, "the close on time");
  return kept;
}

}  // namespace session
