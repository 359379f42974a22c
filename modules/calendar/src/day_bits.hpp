// SPDX-License-Identifier: MIT
#pragma once

#include <bitset>
#include <limits>

#include "civil.hpp"

namespace detent::detail {

struct day_bits {
  static constexpr day_number for_ever = std::numeric_limits<day_number>::max();

  std::bitset<day_count> days;  // by day_number
  day_number last_known = for_ever;

  // Returns false for a day outside 1970 to 2199. Throws error with days_exhausted.
  bool contains(day_number day) const {
    if (day > last_known) throw_exhausted(day);
    return day >= 0 && day < day_count && days[static_cast<std::size_t>(day)];
  }

 private:
  [[noreturn]] void throw_exhausted(day_number day) const;
};

}  // namespace detent::detail
