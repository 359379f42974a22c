// SPDX-License-Identifier: MIT
// Files of holidays.
#include <detent/calendar_error.hpp>
#include <detent/day_set.hpp>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "civil.hpp"
#include "message.hpp"

namespace detent {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
  throw error(calendar_errc::invalid_days, "file of days " + detail::in_quotes(name) + what);
}

// Reads the lines of one file.
class days_reader {
 public:
  days_reader(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  day_set read() {
    constexpr std::string_view mark = "\xef\xbb\xbf";  // a byte-order mark, which some editors write
    if (rest_.starts_with(mark)) rest_.remove_prefix(mark.size());
    while (!rest_.empty()) take_line(next_line());
    if (!until_) {
      refuse(name_, ": there is no line `until YYYY-MM-DD`, the last day that the file knows; add it");
    }
    return day_set::every_day().without(closed_).known_until(*until_);
  }

 private:
  std::string_view next_line() {
    ++number_;
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line;
  }

  void take_line(std::string_view whole) {
    const std::string_view line = trimmed(whole.substr(0, whole.find('#')));
    if (line.empty()) return;
    constexpr std::string_view key = "until";
    const std::size_t key_end = key.size();
    if (line.starts_with(key) && (line.size() == key_end || blanks.find(line[key_end]) != std::string_view::npos)) {
      if (until_) refuse_line(line, "`until` stands on an earlier line as well");
      until_ = day_in(trimmed(line.substr(key_end)), line);
    } else {
      closed_.push_back(day_in(line, line));
    }
  }

  civil_day day_in(std::string_view text, std::string_view line) const {
    constexpr std::string_view shape = "dddd-dd-dd";
    bool fits = text.size() == shape.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i) {
      fits = shape[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i];
    }
    if (!fits) refuse_line(line, "not `YYYY-MM-DD` or `until YYYY-MM-DD`; a comment begins with `#`");
    const auto number = [text](std::size_t at, std::size_t length) {
      unsigned value = 0;
      std::from_chars(text.data() + at, text.data() + at + length, value);
      return value;
    };
    const civil_day day(std::chrono::year(static_cast<int>(number(0, 4))), std::chrono::month(number(5, 2)),
                        std::chrono::day(number(8, 2)));
    const int year = static_cast<int>(day.year());
    if (!day.ok()) refuse_line(line, "there is no such day");
    if (year < detail::first_year || year > detail::last_year) refuse_line(line, "not from 1970 to 2199");
    return day;
  }

  [[noreturn]] void refuse_line(std::string_view line, const char* why) const {
    refuse(name_, ", line " + std::to_string(number_) + ": " + detail::in_quotes(line) + ": " + why);
  }

  std::string_view rest_, name_;
  std::size_t number_ = 0;
  std::vector<civil_day> closed_;
  std::optional<civil_day> until_;
};

}  // namespace

day_set day_set::from_text(std::string_view text, std::string_view name) { return days_reader(text, name).read(); }

day_set day_set::from_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    const int problem = errno;
    refuse(path, ": it cannot be read" + (problem == 0 ? "" : ": " + std::generic_category().message(problem)));
  }
  return from_text(text.str(), path);
}

}  // namespace detent
