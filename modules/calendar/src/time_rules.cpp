// SPDX-License-Identifier: MIT
#include "time_rules.hpp"

#include <bit>

namespace detent::detail {
namespace {

// Returns the lowest bit from `from` on, or -1 if there is none.
int bit_at_or_after(std::uint64_t bits, int from) noexcept {
  const std::uint64_t left = from < 64 ? bits & (~std::uint64_t{0} << from) : 0;
  return left != 0 ? std::countr_zero(left) : -1;
}

}  // namespace

std::optional<std::int32_t> time_rules::at_or_after(std::int32_t second) const noexcept {
  int hour = second / 3600, minute = second / 60 % 60, s = bit_at_or_after(seconds, second % 60);
  if ((hours >> hour & 1) != 0) {
    if (s < 0 || (minutes >> minute & 1) == 0) {
      minute = bit_at_or_after(minutes, minute + 1);
      s = std::countr_zero(seconds);
    }
    if (minute >= 0) return hour * 3600 + minute * 60 + s;
  }
  hour = bit_at_or_after(hours, hour + 1);
  if (hour < 0) return std::nullopt;
  return hour * 3600 + std::countr_zero(minutes) * 60 + std::countr_zero(seconds);
}

}  // namespace detent::detail
