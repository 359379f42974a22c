// SPDX-License-Identifier: MIT
#include "report/staircase.hpp"

#include <algorithm>

namespace detent::tool {

svg_plot::points staircase(const lateness_log& samples) {
  svg_plot::points out;
  const auto count = static_cast<double>(samples.count());
  const double last = 1 - 1 / count;
  std::uint64_t seen = 0;
  for (const auto& each : samples.buckets()) {
    const auto value = static_cast<double>(std::min(each.high, samples.max()));
    const double from = std::min(static_cast<double>(seen) / count, last);
    seen += each.count;
    if (value <= 0) continue;
    if (out.empty() && from > 0) out.emplace_back(from, 0);  // the curve rises from below the plot
    out.emplace_back(from, value);
    out.emplace_back(std::min(static_cast<double>(seen) / count, last), value);
  }
  return out;
}

}  // namespace detent::tool
