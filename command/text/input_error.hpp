// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace detent::tool {

// Thrown for input that cannot be used. what() is one line that says where and what; the program ends with status 1.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the text in quotes, cut to a readable length, with unprintable bytes as \xNN, so that it is safe in a
// one-line message.
std::string in_quotes(std::string_view text);

}  // namespace detent::tool
