// SPDX-License-Identifier: MIT
// The bells of a trading day, as timers of a calendar.
#pragma once

#include "trading_days.hpp"

#include <detent/calendar.hpp>
#include <detent/time_zone.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace session {

enum class bell : std::uint8_t { pre_open, open, last_call, close };
const char* name_of(bell which) noexcept;

struct ring {
  bell which;
  detent::wall_time planned;  // by the exchange's rules
  detent::wall_time at;       // by the clock
};

// Pre-open at 9:00, open at 9:30, close at 16:00 or, on half days, at 13:00, and a last call five minutes before; each
// by the clock of the exchange. Orders must not go out late: an opening that was missed by more than a second is
// skipped, while the last call and the close are made up for. `on_ring` runs on the engine's driver.
void schedule_bells(detent::calendar& on, const trading_days& days, const detent::time_zone& zone,
                    const std::function<void(const ring&)>& on_ring);

// By the clock of the zone: "Wed 2024-07-03 09:30:00.000".
std::string local_text(detent::wall_time at, const detent::time_zone& zone);

}  // namespace session
