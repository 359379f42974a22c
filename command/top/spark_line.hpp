// SPDX-License-Identifier: MIT
// Times over time, as bars of characters on a logarithmic scale.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace detent::tool {

using optional_times = std::span<const std::optional<double>>;  // nanoseconds, the latest last; an empty one is a gap

// The values of the lowest and the highest bar.
struct spark_scale {
  double least = 1, most = 1;
};

// Covers all times, and at least a factor of 10, so that noise does not look like a change.
spark_scale scale_for(optional_times times);
// Returns the height of the bar, from 1 to `levels`.
std::size_t spark_level(double time, spark_scale scale, std::size_t levels);
// Returns the bar with `level` eighths of a character's height, from 0 to 8.
const char* spark_glyph(std::size_t level, bool unicode);
// Returns the latest `width` times with a character each, as UTF-8. Spaces stand for missing times.
std::string spark_line(optional_times times, spark_scale scale, std::size_t width, bool unicode);

}  // namespace detent::tool
