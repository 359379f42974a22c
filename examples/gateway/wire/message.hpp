// SPDX-License-Identifier: MIT
// A line as a message: tag=value fields between '|' or SOH, the type first.
#pragma once

#include "protocol.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wire {

// A message whose fields are views of the line that it was parsed from; they live as long as the line.
class message {
 public:
  static constexpr std::size_t most_fields = 16;

  // Empty if the line is none; `problem` then says why, in one line.
  static std::optional<message> parse(std::string_view line, std::string& problem);

  message_type type() const { return static_cast<message_type>(fields_[0].value.front()); }
  std::optional<std::string_view> text(tag of) const;
  // None if the field is missing or no whole number.
  std::optional<std::int64_t> number(tag of) const;
  // Returns a field of one character, or '\0' if it is missing or longer.
  char letter(tag of) const;

 private:
  struct field {
    tag key;
    std::string_view value;
  };

  // The complaint, empty if there is none.
  std::string add(std::string_view text);

  std::array<field, most_fields> fields_{};
  std::size_t count_ = 0;
};

}  // namespace wire
