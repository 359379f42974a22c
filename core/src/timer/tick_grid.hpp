// SPDX-License-Identifier: MIT
// The arithmetic of ticks.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/time.hpp>

#include <bit>
#include <cstdint>

namespace detent::detail {

// Deadlines are multiples of the tick, counted from the clock's zero; `forever` is legal too.
class tick_grid {
 public:
  explicit constexpr tick_grid(nanoseconds_t tick) noexcept
      : tick_(tick), inverse_(UINT64_MAX / static_cast<std::uint64_t>(tick)) {}

  constexpr nanoseconds_t round_up(nanoseconds_t t) const noexcept {
    if (tick_ == 1) return t;
    nanoseconds_t over = remainder(t);
    return over == 0 ? t : add_saturated(t, tick_ - over);
  }
  constexpr nanoseconds_t round_down(nanoseconds_t t) const noexcept {
    if (tick_ == 1 || t == forever) return t;  // at `forever` all is due, aligned or not
    return add_saturated(t, -remainder(t));
  }
  constexpr bool exact() const noexcept { return tick_ == 1; }
  constexpr nanoseconds_t tick() const noexcept { return tick_; }
  // Times share a unit only if no two multiples of the tick lie in it: a slot of the finest level holds one deadline.
  constexpr unsigned unit_shift() const noexcept {
    return 63u - static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(tick_)));
  }

 private:
  // Multiplies instead of dividing, because each firing rounds several times. The product with the inverse is the
  // quotient, or one less.
  constexpr nanoseconds_t remainder(nanoseconds_t t) const noexcept {
    if (t < 0) [[unlikely]] {
      const nanoseconds_t over = t % tick_;
      return over < 0 ? over + tick_ : over;
    }
    const auto quotient = static_cast<nanoseconds_t>(base::multiply_high(static_cast<std::uint64_t>(t), inverse_));
    const nanoseconds_t over = t - quotient * tick_;
    return over >= tick_ ? over - tick_ : over;
  }
  nanoseconds_t tick_;
  std::uint64_t inverse_;  // 2^64 / tick, rounded down
};

// Converts signed time to an unsigned number of the same order, and back.
inline constexpr std::uint64_t to_unsigned(nanoseconds_t t) noexcept {
  return static_cast<std::uint64_t>(t) ^ (std::uint64_t{1} << 63);
}
inline constexpr nanoseconds_t to_signed(std::uint64_t u) noexcept {
  return static_cast<nanoseconds_t>(u ^ (std::uint64_t{1} << 63));
}

}  // namespace detent::detail
