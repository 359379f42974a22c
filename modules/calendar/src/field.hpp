// SPDX-License-Identifier: MIT
// One field of a cron expression: lists of numbers, names, ranges and steps.
#pragma once

#include <detent/calendar_error.hpp>

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civil.hpp"

namespace detent::detail {

// The values that a field may have.
struct field_kind {
  const char* name;
  int least, most;
  int star_most;  // the last value of `*` and `a/n`
  int step_most;
  std::span<const std::string_view> names = {};  // the first one stands for `least`
  bool wraps = false;                            // a range may end before it begins
  bool steps_after_names = true;
};

struct field_values {
  std::bitset<256> bits;  // bit n stands for the value base + n
  bool any = false;       // contains `*` or `*/1`
  bool stepped = false;   // contains `*`, `*/n` or `a/n`, which run through the whole field

  std::uint64_t word() const noexcept { return (bits & std::bitset<256>(~std::uint64_t{0})).to_ullong(); }
};

// One field of an expression, with its place. It is divided and read here, and refused if it cannot be read.
class field {
 public:
  field(std::string_view expression, std::string_view text) : expression_(expression), text_(text) {}

  std::string_view text() const noexcept { return text_; }

  // Reads a list of values. Bit 0 in `bits` stands for `base`. Throws schedule_error.
  field_values values(const field_kind& kind, int base = 0) const;
  // Reads a single number or name. `part` is a part of this field. Throws schedule_error.
  int value(const field_kind& kind, std::string_view part) const;
  // Reads a number from `least` to `most`. Throws schedule_error.
  int number(const char* name, std::string_view part, int least, int most) const;

  [[noreturn]] void refuse(const char* name, std::string_view part, const std::string& why,
                           bool is_never_due = false) const;

 private:
  void add_item(const field_kind& kind, std::string_view item, int base, field_values& all) const;
  std::optional<int> name_in(const field_kind& kind, std::string_view part) const;

  std::string_view expression_, text_;
};

// Divides an expression at blanks into fields. `names` are those of the dialect. Fewer fields than `least`, more fields
// than names, or an expression that is far too long throw schedule_error.
std::vector<field> fields_of(std::string_view expression, std::size_t least, std::span<const char* const> names);

}  // namespace detent::detail
