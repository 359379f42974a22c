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
  std::uint32_t dates = 0;              // bit n stands for day n
  std::uint32_t from_last = 0;          // bit n stands for n days before the last day
  std::uint32_t nearest = 0;            // bit n stands for the weekday nearest to day n, within the month
  std::uint32_t nearest_from_last = 0;  // bit n stands for the weekday nearest to n days before the last day

  std::uint32_t days_in(unsigned first_weekday, unsigned length) const noexcept;  // bit n stands for day n
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
  bool either = false;                                      // if both day fields are restricted, one suffices
  std::uint32_t months = 0;                                 // bits 1 to 12
  std::bitset<static_cast<std::size_t>(year_count)> years;  // bit 0 is 1970

  // Returns the first day from `from` on that satisfies these rules and `only`, if that is not null. Throws what
  // only->contains() throws.
  std::optional<day_number> day_at_or_after(day_number from, day_number before, const day_bits* only) const;

 private:
  std::uint32_t days_in(std::chrono::year_month month, day_number first) const noexcept;
};

}  // namespace detent::detail
