// SPDX-License-Identifier: MIT
#include <detent/calendar_error.hpp>
#include <detent/day_set.hpp>

#include <algorithm>
#include <utility>

#include "day_bits.hpp"
#include "message.hpp"

namespace detent {
namespace {

using detail::day_bits;

std::size_t index_of(civil_day day) {
  if (!day.ok() || day.year() < std::chrono::year(detail::first_year) ||
      day.year() > std::chrono::year(detail::last_year)) {
    throw error(calendar_errc::invalid_days, "day " + detail::day_text(day) + ": not a day from 1970 to 2199");
  }
  return static_cast<std::size_t>(detail::number_of(day));
}

void set_all(day_bits& bits, std::span<const civil_day> days, bool in) {
  for (const civil_day day : days) bits.days[index_of(day)] = in;
}

}  // namespace

namespace detail {

void day_bits::throw_exhausted(day_number day) const {
  throw error(calendar_errc::days_exhausted, "day " + day_text(day_of(day)) + ": the days are known until " +
                                                 day_text(day_of(last_known)) + "; renew their file");
}

}  // namespace detail

day_set::day_set(std::shared_ptr<const day_bits> bits) noexcept : bits_(std::move(bits)) {}

day_set day_set::every_day() {
  auto bits = std::make_shared<day_bits>();
  bits->days.set();
  return day_set(std::move(bits));
}

day_set day_set::weekdays() {
  auto bits = std::make_shared<day_bits>();
  for (detail::day_number day = 0; day < detail::day_count; ++day) {
    const int weekday = (day + 4) % 7;  // 1970-01-01 was a Thursday
    bits->days[static_cast<std::size_t>(day)] = weekday != 0 && weekday != 6;
  }
  return day_set(std::move(bits));
}

day_set day_set::of(std::span<const civil_day> days) {
  auto bits = std::make_shared<day_bits>();
  set_all(*bits, days, true);
  return day_set(std::move(bits));
}

day_set day_set::with(std::span<const civil_day> days) const {
  auto bits = std::make_shared<day_bits>(*bits_);
  set_all(*bits, days, true);
  return day_set(std::move(bits));
}

day_set day_set::without(std::span<const civil_day> days) const {
  auto bits = std::make_shared<day_bits>(*bits_);
  set_all(*bits, days, false);
  return day_set(std::move(bits));
}

day_set day_set::known_until(civil_day last) const {
  auto bits = std::make_shared<day_bits>(*bits_);
  bits->last_known = static_cast<detail::day_number>(index_of(last));
  return day_set(std::move(bits));
}

day_set operator&(const day_set& a, const day_set& b) {
  auto bits = std::make_shared<day_bits>();
  bits->days = a.bits_->days & b.bits_->days;
  bits->last_known = std::min(a.bits_->last_known, b.bits_->last_known);
  return day_set(std::move(bits));
}

bool day_set::contains(civil_day day) const { return bits_->contains(detail::number_of(day)); }

std::optional<civil_day> day_set::last_known() const noexcept {
  if (bits_->last_known == day_bits::for_ever) return std::nullopt;
  return detail::day_of(bits_->last_known);
}

}  // namespace detent
