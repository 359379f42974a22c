// SPDX-License-Identifier: MIT
// Lengths of time and points in time that are exact, or the greatest or the least of their type where they do not fit
// it: in 64 bits, as not every compiler has wider numbers.
#pragma once

#include <detent/base/compiler.hpp>

#include <cstdint>

namespace detent::recipes::detail {

inline constexpr std::uint64_t endless = UINT64_MAX;

constexpr std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) noexcept {
  return base::multiply_high(a, b) != 0 ? endless : a * b;
}
// Returns value * 2^bits, where bits is 0 to 63.
constexpr std::uint64_t bounded_shift(std::uint64_t value, int bits) noexcept {
  return value > endless >> bits ? endless : value << bits;
}
// Returns value / 2^bits, rounded up.
constexpr std::uint64_t shift_up(std::uint64_t value, int bits) noexcept {
  return (value >> bits) + ((value & ((std::uint64_t{1} << bits) - 1)) != 0 ? 1 : 0);
}

// Numbers points from the least one, so that any two are a length apart.
constexpr std::uint64_t from_least(std::int64_t point) noexcept {
  return static_cast<std::uint64_t>(point) + (std::uint64_t{1} << 63);
}
constexpr std::int64_t to_point(std::uint64_t from_least) noexcept {
  return static_cast<std::int64_t>(from_least - (std::uint64_t{1} << 63));
}
constexpr std::int64_t later(std::int64_t point, std::uint64_t by) noexcept {
  const std::uint64_t start = from_least(point);
  return by > endless - start ? INT64_MAX : to_point(start + by);
}
constexpr std::int64_t earlier(std::int64_t point, std::uint64_t by) noexcept {
  const std::uint64_t start = from_least(point);
  return by > start ? INT64_MIN : to_point(start - by);
}
// Returns how much later `to` is, or 0 if it is not later.
constexpr std::uint64_t distance(std::int64_t from, std::int64_t to) noexcept {
  return to > from ? from_least(to) - from_least(from) : 0;
}

}  // namespace detent::recipes::detail
