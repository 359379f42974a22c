// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"
#include "stat/series_names.hpp"

namespace detent::tool {

// Returns Prometheus' text exposition format, version 0.0.4. docs/counters.md explains the names. The
// engines are added to `names`; keep it from reading to reading if there are several.
std::string prometheus_text(const std::vector<counters_snapshot>& engines, series_names& names);
std::string prometheus_text(const std::vector<counters_snapshot>& engines);  // for a single reading

}  // namespace detent::tool
