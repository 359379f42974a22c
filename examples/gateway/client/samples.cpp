// SPDX-License-Identifier: MIT
#include "samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace load {
namespace {

constexpr std::array percents{50.0, 90.0, 99.0, 99.9, 100.0};

}  // namespace

std::string samples::heading() {
  return fmt::format("{:30} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "late by (microseconds)", "count", "p50", "p90",
                     "p99", "p99.9", "max");
}

std::string samples::row(std::string_view name) {
  std::string text = fmt::format("{:30} {:9}", name, count());
  for (double each : percents) {
    text += count() == 0 ? fmt::format(" {:>9}", "-") : fmt::format(" {:9.0f}", percentile(each));
  }
  return text + "\n";
}

float samples::percentile(double percent) {
  const auto rank = static_cast<std::ptrdiff_t>(static_cast<double>(count() - 1) * percent / 100);
  const auto at = microseconds_.begin() + rank;
  std::nth_element(microseconds_.begin(), at, microseconds_.end());
  return *at;
}

}  // namespace load
