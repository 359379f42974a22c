// SPDX-License-Identifier: MIT
#include "cron/zoned_time.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

using std::chrono::seconds;

// Reads a text from its beginning.
class scanner {
 public:
  explicit scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Reads exactly `count` digits, whose value is at most `most`.
  bool digits(std::size_t count, int most, int& value) {
    if (rest_.size() < count) return false;
    const char* const end = rest_.data() + count;
    const auto [stopped, trouble] = std::from_chars(rest_.data(), end, value);
    if (trouble != std::errc() || stopped != end || rest_[0] == '-' || value > most) return false;
    rest_.remove_prefix(count);
    return true;
  }
  // Reads a fraction of a second of one to nine digits.
  bool fraction(duration& value) {
    std::int64_t unit = 1'000'000'000, sum = 0;
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9' && unit > 1) {
      unit /= 10;
      sum += (rest_[0] - '0') * unit;
      rest_.remove_prefix(1);
    }
    value = duration(sum);
    return unit < 1'000'000'000;
  }

 private:
  std::string_view rest_;
};

std::optional<wall_time> read_clock(scanner& in) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  duration fraction{};
  bool good =
      in.digits(4, 2261, year) && in.take('-') && in.digits(2, 12, month) && in.take('-') && in.digits(2, 31, day);
  if (good && (in.take('T') || in.take('t') || in.take(' '))) {
    good = in.digits(2, 23, hour) && in.take(':') && in.digits(2, 59, minute);
    if (good && in.take(':')) good = in.digits(2, 59, second) && (!in.take('.') || in.fraction(fraction));
  }
  const civil_day date = std::chrono::year(year) / month / day;
  if (!good || !date.ok() || year < 1678) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second) +
         fraction;
}

std::string offset_text(seconds offset) {
  const std::int64_t size = std::abs(offset.count());
  const std::string text = fmt::format("{}{:02}:{:02}", offset < seconds(0) ? '-' : '+', size / 3600, size / 60 % 60);
  return size % 60 == 0 ? text : fmt::format("{}:{:02}", text, size % 60);
}

std::string clock_text(wall_time at, char between) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const civil_day date = day;
  const std::chrono::hh_mm_ss time(std::chrono::floor<seconds>(at) - day);
  std::string text = fmt::format("{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), between,
                                 time.hours().count(), time.minutes().count(), time.seconds().count());
  const std::int64_t fraction = (at - std::chrono::floor<seconds>(at)).count();
  return fraction == 0 ? text : fmt::format("{}.{:09}", text, fraction);
}

}  // namespace

bool zoned_time::is(wall_time instant, const time_zone& zone) const {
  return instant == clock - (offset ? *offset : zone.offset(instant));
}

wall_time zoned_time::in(const time_zone& zone) const {
  return clock - (offset ? *offset : zone.offset(clock - zone.offset(clock)));
}

std::optional<zoned_time> read_time(std::string_view text) {
  scanner in(text);
  const auto clock = read_clock(in);
  if (!clock) return std::nullopt;
  zoned_time time = {.clock = *clock, .offset = {}};
  if (in.take('Z') || in.take('z')) {
    time.offset = seconds(0);
  } else if (!in.at_end()) {
    const int sign = in.take('-') ? -1 : 1;
    int hours = 0, minutes = 0;
    if (sign > 0 && !in.take('+')) return std::nullopt;
    if (!in.digits(2, 23, hours)) return std::nullopt;
    in.take(':');
    if (!in.at_end() && !in.digits(2, 59, minutes)) return std::nullopt;
    time.offset = seconds(sign * (hours * 3600 + minutes * 60));
  }
  if (!in.at_end()) return std::nullopt;
  return time;
}

wall_time instant_of(std::string_view name, std::string_view text) {
  const auto time = read_time(text);
  if (!time || !time->offset) {
    throw input_error(
        fmt::format("{}: {} is not a time with Z or an offset, such as 2024-03-08T00:00:00Z", name, in_quotes(text)));
  }
  return time->clock - *time->offset;
}

std::string utc_text(wall_time at) { return clock_text(at, 'T') + "Z"; }

std::string local_text(wall_time at, const time_zone& zone) {
  constexpr std::array<const char*, 7> names = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const seconds offset = zone.offset(at);
  const wall_time local = at + offset;
  const std::chrono::weekday weekday(std::chrono::floor<std::chrono::days>(local));
  return fmt::format("{} {} {}", names[weekday.c_encoding()], clock_text(local, ' '), offset_text(offset));
}

}  // namespace detent::tool
