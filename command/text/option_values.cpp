// SPDX-License-Identifier: MIT
#include "text/option_values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view wanted) {
  throw usage_error(fmt::format("{}: {} is not {}", option, in_quotes(text), wanted));
}

// Cuts off and returns the number at the beginning of the text, or returns NaN if there is none.
double leading_number(std::string_view& text) {
  double value = 0;
  const auto [stopped, trouble] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  if (trouble != std::errc()) return std::nan("");
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  return value;
}

}  // namespace

std::uint64_t whole_number(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, trouble] = std::from_chars(text.data(), end, value);
  if (trouble != std::errc() || stopped != end || value < least || value > most) {
    refuse(option, text, fmt::format("a whole number from {} to {}", least, most));
  }
  return value;
}

double positive_number(std::string_view option, std::string_view text) {
  std::string_view rest = text;
  const double value = leading_number(rest);
  if (!rest.empty() || !std::isfinite(value) || value <= 0) refuse(option, text, "a positive number");
  return value;
}

double fraction(std::string_view option, std::string_view text) {
  std::string_view rest = text;
  const double value = leading_number(rest);
  if (!rest.empty() || !(value >= 0 && value <= 1)) refuse(option, text, "a fraction from 0 to 1");
  return value;
}

duration time_span(std::string_view option, std::string_view text, const char* bare_unit) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  constexpr double longest = 1e18;  // 31 years
  std::string_view rest = text;
  const double value = leading_number(rest);
  if (rest.empty() && bare_unit != nullptr) rest = bare_unit;
  for (const auto& [name, ns] : units) {
    if (rest == name && value >= 0 && value * ns <= longest) return duration(std::llround(value * ns));
  }
  refuse(option, text, "a time such as 250us, 10ms or 1.5s");
}

std::chrono::microseconds signed_span(std::string_view option, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units = {
      {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"min", 6e7}, {"h", 3.6e9}, {"d", 8.64e10}}};
  constexpr double longest = 3.2e16;  // about a thousand years
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(rest.starts_with("+-") ? 0 : 1);
  const double value = leading_number(rest);
  for (const auto& [name, us] : units) {
    if (rest == name && std::abs(value) * us <= longest) return std::chrono::microseconds(std::llround(value * us));
  }
  refuse(option, text, "a span such as 90s, 15min, 2h or -1d");
}

std::string one_of(std::string_view option, std::string_view text, std::string_view first, std::string_view second) {
  if (text != first && text != second) refuse(option, text, fmt::format("{} or {}", first, second));
  return std::string(text);
}

time_range span_range(std::string_view option, std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const duration both = time_span(option, text, nullptr);
    return {both, both};
  }
  const time_range range = {time_span(option, text.substr(0, dots), nullptr),
                            time_span(option, text.substr(dots + 2), nullptr)};
  if (range.most < range.least) refuse(option, text, "a range that ends after it begins");
  return range;
}

wheel_kind wheel_named(std::string_view option, std::string_view text) {
  if (text == "hierarchical") return wheel_kind::hierarchical;
  if (text == "hashed") return wheel_kind::hashed;
  refuse(option, text, "hashed or hierarchical");
}

wait_options wait_named(std::string_view option, std::string_view text) {
  if (text == "busy") return wait_options::busy();
  if (text == "hybrid") return wait_options::hybrid();
  if (text == "sleep") return wait_options::sleep();
  refuse(option, text, "busy, hybrid or sleep");
}

duration positive_span(std::string_view option, std::string_view text, const char* bare_unit) {
  const duration asked = time_span(option, text, bare_unit);
  if (asked <= duration(0)) throw usage_error(fmt::format("{}: '{}' is not a time above zero", option, text));
  return asked;
}

}  // namespace detent::tool
