// SPDX-License-Identifier: MIT
#include "zone_footer.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "bad_zone_file.hpp"
#include "civil.hpp"
#include "message.hpp"

namespace detent::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads a footer from left to right.
class footer_reader {
 public:
  explicit footer_reader(std::string_view text) : text_(text), rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool next_is(char c) const { return rest_.starts_with(c); }
  bool take_if(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void take(char c) {
    if (!take_if(c)) refuse();
  }

  // Skips letters, or letters, digits and signs between < and >, which are not needed here.
  void skip_name() {
    constexpr std::size_t shortest = 3;
    const bool quoted = take_if('<');
    std::size_t length = 0;
    while (length < rest_.size() &&
           (is_letter(rest_[length]) ||
            (quoted && (is_digit(rest_[length]) || rest_[length] == '+' || rest_[length] == '-')))) {
      ++length;
    }
    if (length < shortest) refuse();
    rest_.remove_prefix(length);
    if (quoted) take('>');
  }

  std::int32_t number(std::int32_t least, std::int32_t most) {
    constexpr std::size_t longest = 3;
    std::int32_t value = 0;
    std::size_t length = 0;
    for (; length < rest_.size() && length < longest && is_digit(rest_[length]); ++length) {
      value = value * 10 + (rest_[length] - '0');
    }
    if (length == 0 || value < least || value > most) refuse();
    rest_.remove_prefix(length);
    return value;
  }

  // Reads [+-]hh[:mm[:ss]], in seconds.
  std::int64_t time(std::int32_t most_hours) {
    const bool negative = take_if('-');
    if (!negative) take_if('+');
    std::int64_t seconds = std::int64_t{3600} * number(0, most_hours);
    if (take_if(':')) {
      seconds += 60 * number(0, 59);
      if (take_if(':')) seconds += number(0, 59);
    }
    return negative ? -seconds : seconds;
  }

  // POSIX counts towards the west.
  std::int64_t offset() {
    // POSIX allows 24, which no zone has had; so local time is within a day of UTC.
    constexpr std::int32_t most_hours = 23;
    return -time(most_hours);
  }

  yearly_date date() {
    constexpr std::int32_t most_hours = 167;  // a week, as in RFC 9636
    yearly_date at;
    at.time = std::int64_t{2} * 3600;
    if (take_if('M')) {
      at.month = number(1, 12);
      take('.');
      at.week = number(1, 5);
      take('.');
      at.day = number(0, 6);
    } else if (take_if('J')) {
      at.by = yearly_date::kind::day_without_leap;
      at.day = number(1, 365);
    } else {
      at.by = yearly_date::kind::day_with_leap;
      at.day = number(0, 365);
    }
    if (take_if('/')) at.time = time(most_hours);
    return at;
  }

  [[noreturn]] void refuse() const {
    throw bad_zone_file("is damaged: its footer " + in_quotes(text_) + " is no time zone of POSIX, at column " +
                        std::to_string(text_.size() - rest_.size() + 1));
  }

 private:
  std::string_view text_, rest_;
};

}  // namespace

std::int64_t yearly_date::seconds_in(std::chrono::year y) const {
  const std::int64_t new_year = number_of(y / std::chrono::January / 1);
  std::int64_t number = new_year + day;
  if (by == kind::day_without_leap) {
    constexpr std::int32_t march = 60;
    number += y.is_leap() && day >= march ? 0 : -1;
  } else if (by == kind::weekday) {
    constexpr std::int32_t last_week = 5;
    const std::chrono::year_month in = y / std::chrono::month(static_cast<unsigned>(month));
    const std::chrono::weekday of(static_cast<unsigned>(day));
    const std::chrono::sys_days at = week == last_week ? std::chrono::sys_days(in / of[std::chrono::last])
                                                       : std::chrono::sys_days(in / of[static_cast<unsigned>(week)]);
    number = number_of(at);
  }
  return number * seconds_a_day + time;
}

zone_footer::zone_footer(std::string_view text) {
  footer_reader from(text);
  from.skip_name();
  standard_ = from.offset();
  if (from.at_end()) return;
  from.skip_name();
  constexpr std::int64_t usual = 3600;
  const std::int64_t offset = from.next_is(',') ? standard_ + usual : from.offset();
  from.take(',');
  const yearly_date begin = from.date();
  from.take(',');
  const yearly_date end = from.date();
  if (!from.at_end()) from.refuse();
  daylight_ = {offset, begin, end};
}

std::vector<offset_change> zone_footer::changes(std::chrono::year first, std::chrono::year last) const {
  std::vector<offset_change> all = {{std::numeric_limits<std::int64_t>::min(), standard_}};
  if (!daylight_) return all;
  for (std::chrono::year each = first; each <= last; ++each) {
    all.push_back({daylight_->begin.seconds_in(each) - standard_, daylight_->offset});
    all.push_back({daylight_->end.seconds_in(each) - daylight_->offset, standard_});
  }
  // A stable sort, because daylight saving time that lasts all year ends and begins at the same instant.
  std::stable_sort(all.begin(), all.end());
  return all;
}

}  // namespace detent::detail
