// SPDX-License-Identifier: MIT
#include "year.hpp"

#include "bells.hpp"
#include "promises.hpp"
#include "virtual_market.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace session {
namespace {

using namespace std::chrono_literals;

// The local time of day, and the day.
struct local_time {
  detent::civil_day day;
  detent::duration time;
};

local_time local(detent::wall_time at, const detent::time_zone& zone) {
  const detent::wall_time shown = at + zone.offset(at);
  const auto day = std::chrono::floor<std::chrono::days>(shown);
  return {detent::civil_day(day), shown - day};
}

detent::duration time_of(bell which, bool half) {
  const auto close = half ? 13h : 16h;
  switch (which) {
    case bell::pre_open: return 9h;
    case bell::open: return 9h + 30min;
    case bell::last_call: return close - 5min;
    case bell::close: break;
  }
  return close;
}

}  // namespace

bool replay_year(std::chrono::year year, const trading_days& days, const detent::time_zone& zone) {
  const auto midnight = [&](std::chrono::year of) {
    const detent::wall_time utc = std::chrono::sys_days(of / 1 / 1);
    return utc - zone.offset(utc);
  };
  const std::size_t expected = days.count(year);
  std::vector<ring> rings;
  std::vector<std::string> ends;
  const auto began = detent::clock::now();
  {
    virtual_market market(midnight(year), {.on_end = [&](const detent::schedule_end& end) {
                            if (ends.empty() || ends.back() != end.what()) ends.push_back(end.what());
                          }});
    schedule_bells(market.timers(), days, zone, [&](const ring& now) { rings.push_back(now); });
    market.run_until(midnight(year + std::chrono::years(1)));
  }
  const std::chrono::duration<double> took = detent::clock::now() - began;

  std::array<std::size_t, 4> counted{};
  bool on_time = true, on_trading_days = true, by_the_clock = true, in_order = true;
  for (std::size_t at = 0; at < rings.size(); ++at) {
    const ring& each = rings[at];
    ++counted[static_cast<std::size_t>(each.which)];
    on_time &= each.at == each.planned;
    const local_time shown = local(each.planned, zone);
    on_trading_days &= days.all.contains(shown.day);
    by_the_clock &= shown.time == time_of(each.which, days.half.contains(shown.day));
    in_order &= static_cast<std::size_t>(each.which) == at % 4;
  }
  fmt::print("{}: {} openings, {} last calls, {} closings, in {:.3f} s\n", static_cast<int>(year), counted[1],
             counted[2], counted[3], took.count());
  if (!rings.empty())
    fmt::print("first {}, last {}\n", local_text(rings.front().at, zone), local_text(rings.back().at, zone));
  for (const std::string& end : ends) fmt::print("{}\n", end);

  bool kept = promise(counted[1] == expected, fmt::format("the market opened on each of {} trading days", expected));
  kept &= promise(on_trading_days, "and on no other day");
  kept &= promise(by_the_clock, "each bell at its time by the clock of the exchange, on half days too");
  kept &= promise(in_order, "on each day pre-open, open, last call, close");
  kept &= promise(on_time, "no bell early or late");
  return kept;
}

}  // namespace session
