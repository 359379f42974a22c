// SPDX-License-Identifier: MIT
// Times over time, as bars of characters on a logarithmic scale.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace detent::tool {

using optional_times = std::span<const std::optional<double>>;  // nanoseconds, the latest last; none: a gap

// The values of the lowest and the highest bar.
struct spark_scale {
  double least = 1, most = 1;
};

// Holds every one of the times; at least a factor of 10, so that noise does not look like a change.
spark_scale scale_for(optional_times times);
// How high a bar this is, 1 to `levels`.
std::size_t spark_level(double time, spark_scale scale, std::size_t levels);
// The bar of `level` eighths of a character's height, 0 to 8.
const char* spark_glyph(std::size_t level, bool unicode);
// The latest `width` of the times, one character each, as UTF-8; spaces stand for those that are missing.
std::string spark_line(optional_times times, spark_scale scale, std::size_t width, bool unicode);

}  // namespace detent::tool
