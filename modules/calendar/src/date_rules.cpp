// SPDX-License-Identifier: MIT
#include "date_rules.hpp"

#include <algorithm>
#include <bit>

namespace detent::detail {
namespace {

constexpr unsigned saturday = 6, sunday = 0, week = 7;

constexpr std::uint32_t bit(unsigned number) noexcept { return std::uint32_t{1} << number; }

// Returns a word with bits 1 to `length`.
constexpr std::uint32_t all_days(unsigned length) noexcept { return static_cast<std::uint32_t>((2ull << length) - 2); }

constexpr unsigned weekday_of(unsigned day, unsigned first_weekday) noexcept {
  return (first_weekday + day - 1) % week;
}

// Returns the weekday from Monday to Friday that is nearest to `day` within the month.
constexpr unsigned nearest_weekday(unsigned day, unsigned first_weekday, unsigned length) noexcept {
  switch (weekday_of(day, first_weekday)) {
    case saturday: return day == 1 ? day + 2 : day - 1;
    case sunday: return day == length ? day - 2 : day + 1;
    default: return day;
  }
}

template <class Take>
void for_each_bit(std::uint32_t bits, Take take) noexcept {
  for (; bits != 0; bits &= bits - 1) take(static_cast<unsigned>(std::countr_zero(bits)));
}

}  // namespace

std::uint32_t month_day_rules::days_in(unsigned first_weekday, unsigned length) const noexcept {
  std::uint32_t days = any ? all_days(length) : dates & all_days(length);
  for_each_bit(from_last, [&](unsigned before) {
    if (before < length) days |= bit(length - before);
  });
  for_each_bit(nearest, [&](unsigned day) {
    if (day <= length) days |= bit(nearest_weekday(day, first_weekday, length));
    // In Quartz, 31W finds the 30th if the day after it, which is in the next month, is a Saturday. Quartz's results
    // for 29W and 30W in February depend on where its search begins.
    if (day == 31 && length == 30 && weekday_of(day, first_weekday) == saturday) days |= bit(length);
  });
  for_each_bit(nearest_from_last, [&](unsigned before) {
    if (before < length) days |= bit(nearest_weekday(length - before, first_weekday, length));
  });
  return days;
}

std::uint32_t week_day_rules::days_in(unsigned first_weekday, unsigned length) const noexcept {
  if (any) return all_days(length);
  // Converts weekdays to the month's weeks, in which bit 0 is the weekday of the first day.
  const auto in_month = [first_weekday](std::uint8_t weekdays) {
    const std::uint32_t bits = weekdays;
    return (bits >> first_weekday | bits << (week - first_weekday)) & 0x7f;
  };
  const auto place = [](std::uint32_t days, unsigned first) { return std::uint64_t{days} << first; };
  std::uint64_t days = 0;
  for (unsigned first = 1; first <= length; first += week) days |= place(in_month(each), first);
  for (unsigned n = 0; n < nth.size(); ++n) days |= place(in_month(nth[n]), 1 + n * week);
  if (last != 0) {
    for (unsigned day = length - week + 1; day <= length; ++day) {
      if ((last >> weekday_of(day, first_weekday) & 1) != 0) days |= bit(day);
    }
  }
  return static_cast<std::uint32_t>(days) & all_days(length);
}

std::uint32_t date_rules::days_in(std::chrono::year_month month, day_number first) const noexcept {
  const auto length = static_cast<unsigned>((month / std::chrono::last).day());
  const auto first_weekday = static_cast<unsigned>(first + 4) % week;  // 1970-01-01 was a Thursday
  const std::uint32_t by_month = month_days.days_in(first_weekday, length);
  const std::uint32_t by_week = week_days.days_in(first_weekday, length);
  return either && !month_days.any && !week_days.any ? by_month | by_week : by_month & by_week;
}

std::optional<day_number> date_rules::day_at_or_after(day_number from, day_number before, const day_bits* only) const {
  if (from >= before) return std::nullopt;
  const civil_day start = day_of(std::max(from, 0));
  auto first_day = static_cast<unsigned>(start.day());
  auto month = static_cast<unsigned>(start.month());
  for (int year = static_cast<int>(start.year()); year <= last_year; ++year, month = 1, first_day = 1) {
    if (!years[static_cast<std::size_t>(year - first_year)]) continue;
    for (std::uint32_t left = months & ~(bit(month) - 1); left != 0; left &= left - 1) {
      const auto each = static_cast<unsigned>(std::countr_zero(left));
      if (each != month) first_day = 1;
      const auto of_year = std::chrono::year(year) / std::chrono::month(each);
      const day_number begin = number_of(of_year / 1);
      std::uint32_t days = days_in(of_year, begin) & ~(bit(first_day) - 1);
      for (; days != 0; days &= days - 1) {
        const day_number day = begin + std::countr_zero(days) - 1;
        if (day >= before) return std::nullopt;
        if (only == nullptr || only->contains(day)) return day;
      }
    }
  }
  return std::nullopt;
}

}  // namespace detent::detail
