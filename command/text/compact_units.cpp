// SPDX-License-Identifier: MIT
#include "text/compact_units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <span>

namespace detent::tool {
namespace {

// Writes the value with one to three digits before the point, and as many after it as `digits` leaves.
std::string rounded(double value, int digits) {
  for (int whole = 1; whole < 3; ++whole) {
    const int decimals = digits > whole ? digits - whole : 0;
    const double half = 0.5 * std::pow(10, -decimals);
    if (value < std::pow(10, whole) - half) return fmt::format("{:.{}f}", value, decimals);
  }
  return fmt::format("{:.0f}", value);
}

struct scale {
  double units;
  const char* name;
};

// Uses the largest unit in which the value, rounded to a whole number, is at least one.
std::string scaled(double value, int digits, std::span<const scale> scales) {
  std::size_t at = 0;
  while (at + 1 < scales.size() && std::round(value / scales[at].units) * scales[at].units >= scales[at + 1].units) {
    ++at;
  }
  return rounded(value / scales[at].units, digits) + scales[at].name;
}

}  // namespace

std::string compact_time(double ns, int digits) {
  constexpr scale units[] = {{1, "ns"},   {1e3, "us"},   {1e6, "ms"},   {1e9, "s"},
                             {6e10, "m"}, {3.6e12, "h"}, {8.64e13, "d"}};
  if (ns < 0.5) return "0";
  if (ns < 999.5) return fmt::format("{:.0f}ns", ns);
  return scaled(ns, digits, units);
}

std::string compact_count(double count) {
  constexpr scale units[] = {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}, {1e18, "E"}};
  if (count < 0.05) return "0";
  if (count < 9.95) {
    const std::string text = fmt::format("{:.1f}", count);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  }
  if (count < 999.5) return fmt::format("{:.0f}", count);
  return scaled(count, 3, units);
}

std::string delay_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.3g}s", seconds);
  return seconds < 3600 ? fmt::format("{:.3g}min", seconds / 60) : fmt::format("{:.3g}h", seconds / 3600);
}

}  // namespace detent::tool
