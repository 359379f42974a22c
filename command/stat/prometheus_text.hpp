// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// Prometheus' text exposition format, version 0.0.4; what its names mean is in docs/counters.md.
std::string prometheus_text(const std::vector<counters_snapshot>& engines);

}  // namespace detent::tool
