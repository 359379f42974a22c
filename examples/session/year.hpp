// SPDX-License-Identifier: MIT
// A year of trading days, replayed in virtual time.
#pragma once

#include "trading_days.hpp"

#include <detent/time_zone.hpp>

#include <chrono>

namespace session {

// Prints what came of it; false where a promise was broken. Throws detent::error.
bool replay_year(std::chrono::year year, const trading_days& days, const detent::time_zone& zone);

}  // namespace session
