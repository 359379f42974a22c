// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace detent::tool {

// Something the user handed over cannot be used. what() is one line that says where and what; the program ends with
// status 1.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The text in quotes, cut to a readable length, unprintable bytes as \xNN: safe inside a one-line message.
std::string in_quotes(std::string_view text);

}  // namespace detent::tool
