// SPDX-License-Identifier: MIT
#include "top/spark_line.hpp"

#include <algorithm>
#include <cmath>

namespace detent::tool {

spark_scale scale_for(optional_times times) {
  constexpr double narrowest = 10;
  double least = INFINITY, most = 0;
  for (const auto& each : times) {
    if (!each) continue;
    least = std::min(least, std::max(*each, 1.0));
    most = std::max(most, std::max(*each, 1.0));
  }
  if (most == 0) return {1, narrowest};
  const double missing = std::sqrt(std::max(1.0, narrowest * least / most));
  return {least / missing, most * missing};
}

std::size_t spark_level(double time, spark_scale scale, std::size_t levels) {
  const double part = std::log(std::max(time, 1.0) / scale.least) / std::log(scale.most / scale.least);
  const double level = std::floor(std::clamp(part, 0.0, 1.0) * static_cast<double>(levels));
  return std::min(static_cast<std::size_t>(level) + 1, levels);
}

const char* spark_glyph(std::size_t level, bool unicode) {
  static constexpr const char* blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr const char* ascii[] = {" ", "_", ".", ":", "-", "=", "+", "*", "#"};
  return unicode ? blocks[level] : ascii[level];
}

std::string spark_line(optional_times times, spark_scale scale, std::size_t width, bool unicode) {
  std::string out(width - std::min(width, times.size()), ' ');
  for (const auto& each : times.last(std::min(width, times.size()))) {
    out += spark_glyph(each ? spark_level(*each, scale, 8) : 0, unicode);
  }
  return out;
}

}  // namespace detent::tool
