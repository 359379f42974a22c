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

// The values that may stand in a field.
struct field_kind {
  const char* name;
  int least, most;
  int star_most;  // where `*` and `a/n` end
  int step_most;
  std::span<const std::string_view> names = {};  // the first one means `least`
  bool wraps = false;                            // a range may end before it begins
  bool steps_after_names = true;
};

struct field_values {
  std::bitset<256> bits;  // value - base
  bool any = false;       // `*` or `*/1` is among them
  bool stepped = false;   // `*`, `*/n` or `a/n` is among them: they run through the whole field

  std::uint64_t word() const noexcept { return (bits & std::bitset<256>(~std::uint64_t{0})).to_ullong(); }
};

// One field of an expression, and where it stands. Cuts and reads it, and refuses what it cannot read.
class field {
 public:
  field(std::string_view expression, std::string_view text) : expression_(expression), text_(text) {}

  std::string_view text() const noexcept { return text_; }

  // A list. Of what is in `bits`, bit 0 is `base`. Throws schedule_error.
  field_values values(const field_kind& kind, int base = 0) const;
  // A number or a name, and nothing else: `part` is a part of this field. Throws schedule_error.
  int value(const field_kind& kind, std::string_view part) const;
  // A number from `least` to `most`. Throws schedule_error.
  int number(const char* name, std::string_view part, int least, int most) const;

  [[noreturn]] void refuse(const char* name, std::string_view part, const std::string& why,
                           bool is_never_due = false) const;

 private:
  void add_item(const field_kind& kind, std::string_view item, int base, field_values& all) const;
  std::optional<int> name_in(const field_kind& kind, std::string_view part) const;

  std::string_view expression_, text_;
};

// The fields of an expression, between blanks. `names` are of the dialect; fewer than `least` or more than there are
// names throw schedule_error, and so does an expression that is far too long.
std::vector<field> fields_of(std::string_view expression, std::size_t least, std::span<const char* const> names);

}  // namespace detent::detail
