// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "lateness_log.hpp"
#include "pending_series.hpp"

namespace detent::tool {

// The plots of a report, each one <svg> element. Both histograms of the first two hold at least one sample.
std::string percentile_curve(const lateness_log& timers, const lateness_log& bare_spin_loop);
std::string lateness_histogram(const lateness_log& timers, const lateness_log& bare_spin_loop);
std::string pending_over_time(const pending_series& pending);

}  // namespace detent::tool
