// SPDX-License-Identifier: MIT
// A message as a line: message_text(out, message_type::logon).with(tag::sender, "ALICE") appends 35=A|49=ALICE and a
// newline to `out`.
#pragma once

#include "protocol.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

namespace wire {

// Begins the line when it is made, and ends it when it is destroyed.
class message_text {
 public:
  message_text(std::string& out, message_type type) : out_(out) {
    fmt::format_to(std::back_inserter(out_), "{}={}", static_cast<int>(tag::type), static_cast<char>(type));
  }
  ~message_text() { out_ += '\n'; }
  message_text(const message_text&) = delete;
  message_text& operator=(const message_text&) = delete;

  template <class Value>
  message_text& with(tag key, const Value& value) {
    fmt::format_to(std::back_inserter(out_), "|{}={}", static_cast<int>(key), value);
    return *this;
  }
  message_text& with(tag key, execution value) { return with(key, static_cast<char>(value)); }
  message_text& with(tag key, time_point value) { return with(key, to_wire(value)); }

 private:
  std::string& out_;
};

}  // namespace wire
