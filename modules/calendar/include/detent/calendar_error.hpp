// SPDX-License-Identifier: MIT
// The errors of schedules, time zones and lists of days.
#pragma once

#include <detent/error.hpp>

#include <cstddef>
#include <string>
#include <system_error>

namespace detent {

enum class calendar_errc {
  invalid_schedule = 1,  // an expression that cannot be read or is never due; schedule_error says where
  unknown_zone,          // no time zone of this host, or a name that looks like a path
  invalid_days,          // a file of holidays that cannot be read; what() names the line
  days_exhausted         // asked about a day after the last one that a day_set knows
};

const std::error_category& calendar_category() noexcept;
std::error_code make_error_code(calendar_errc) noexcept;

// A schedule that is impossible. what() is one line with the field, the value, the column and the cure.
class schedule_error : public error {
 public:
  // Says which part is wrong, and where: `column` counts the bytes of the expression from 1.
  struct place {
    std::string field;  // "minute", "day of month", ...; "expression" if it is not about one field
    std::string value;  // as it stands in the expression
    std::size_t column = 1;
  };

  schedule_error(place where, const std::string& what, bool is_never_due);

  const std::string& field() const noexcept { return where_.field; }
  const std::string& value() const noexcept { return where_.value; }
  std::size_t column() const noexcept { return where_.column; }
  // True if the expression is well-formed but no day from 1970 to 2199 fits, such as 30 February.
  bool never_due() const noexcept { return never_due_; }

 private:
  place where_;
  bool never_due_;
};

}  // namespace detent

template <>
struct std::is_error_code_enum<detent::calendar_errc> : std::true_type {};
