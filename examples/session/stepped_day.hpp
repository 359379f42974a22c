// SPDX-License-Identifier: MIT
// A trading day under which the wall clock is set back, and forward.
#pragma once

#include "trading_days.hpp"

#include <detent/time_zone.hpp>

#include <chrono>

namespace session {

// Prints the last half day of that year, or where it has none the last trading day; false where a promise was broken.
// Throws detent::error.
bool replay_stepped_day(std::chrono::year year, const trading_days& days, const detent::time_zone& zone);

}  // namespace session
