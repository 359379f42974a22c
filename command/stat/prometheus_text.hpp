// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"
#include "stat/series_names.hpp"

namespace detent::tool {

// Prometheus' text exposition format, version 0.0.4; what its names mean is in docs/counters.md.
// `names` is given the engines. Keep it from one reading to the next where there are several readings.
std::string prometheus_text(const std::vector<counters_snapshot>& engines, series_names& names);
std::string prometheus_text(const std::vector<counters_snapshot>& engines);  // of one reading

}  // namespace detent::tool
