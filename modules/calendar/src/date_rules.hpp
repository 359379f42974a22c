// SPDX-License-Identifier: MIT
// The rules for the days of a schedule.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "civil.hpp"
#include "day_bits.hpp"

namespace detent::detail {

// The day-of-month field. Bits count from 0, so bit 0 of `dates` is unused.
struct month_day_rules {
  bool any = false;                     // `*` or `?`
  std::uint32_t dates = 0;              // bit n: the n-th
  std::uint32_t from_last = 0;          // bit n: n days before the last one
  std::uint32_t nearest = 0;            // bit n: the weekday nearest to the n-th, within the month
  std::uint32_t nearest_from_last = 0;  // bit n: likewise, to n days before the last one

  std::uint32_t days_in(unsigned first_weekday, unsigned length) const noexcept;  // bit n: the n-th
};

// The day-of-week field. A byte is a set of weekdays: bit 0 is Sunday.
struct week_day_rules {
  bool any = false;  // `*` or `?`
  std::uint8_t each = 0;
  std::uint8_t last = 0;                 // the last such day of the month
  std::array<std::uint8_t, 5> nth = {};  // the first, ..., the fifth one

  std::uint32_t days_in(unsigned first_weekday, unsigned length) const noexcept;
};

struct date_rules {
  month_day_rules month_days;
  week_day_rules week_days;
  bool either = false;                                      // of two restricted day fields one suffices
  std::uint32_t months = 0;                                 // bits 1 to 12
  std::bitset<static_cast<std::size_t>(year_count)> years;  // from 1970

  // The first day from `from` on which these rules and `only`, if it is not null, agree. Throws what only->contains()
  // does.
  std::optional<day_number> day_at_or_after(day_number from, day_number before, const day_bits* only) const;

 private:
  std::uint32_t days_in(std::chrono::year_month month, day_number first) const noexcept;
};

}  // namespace detent::detail
