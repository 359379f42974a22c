// SPDX-License-Identifier: MIT
// The plots of a report, each one <figure>.
#pragma once
#include <cstdint>
#include <string>

#include "lateness/lateness_causes.hpp"
#include "lateness/lateness_log.hpp"
#include "lateness/lateness_series.hpp"
#include "lateness/machine_floor.hpp"
#include "lateness/pending_series.hpp"

namespace detent::tool {

// All three logs must hold at least one sample.
std::string percentile_chart(const lateness_log& timers, const machine_floor& floor);
std::string histogram_chart(const lateness_log& timers, const machine_floor& floor);

// Some time must have been lost.
std::string share_chart(const lateness_causes& causes);
std::string cause_percentile_chart(const lateness_causes& causes, const lateness_log& timers);

// Draws both from 0 to `end_ns`, one above the other.
std::string lateness_over_time(const lateness_series& lateness, std::uint64_t end_ns);
std::string pending_over_time(const pending_series& pending, std::uint64_t end_ns);

}  // namespace detent::tool
