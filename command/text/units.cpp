// SPDX-License-Identifier: MIT
#include "text/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace detent::tool {
namespace {

std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  const std::string text = fmt::format("{:.{}f}", value, value >= 9.995 ? 1 : 2);
  const std::size_t last = text.find_last_not_of('0');
  return text.substr(0, text[last] == '.' ? last : last + 1);
}

}  // namespace

std::string time_text(double ns) {
  constexpr std::array<const char*, 4> names = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  double value = std::abs(ns);
  for (; unit + 1 < names.size() && value >= 999.5; ++unit) value /= 1000;
  return fmt::format("{}{} {}", ns < 0 ? "-" : "", three_digits(value), names[unit]);
}

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string percent_text(double fraction) { return fmt::format("{} %", three_digits(fraction * 100)); }

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> names = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  for (; unit + 1 < names.size() && value >= 1024; ++unit) value /= 1024;
  return fmt::format("{} {}", three_digits(value), names[unit]);
}

}  // namespace detent::tool
