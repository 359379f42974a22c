// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace detent::tool {

// Thrown if the command line asks for something impossible. what() is one line that names the option and the value; the
// exit status is 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each function turns the text of an option into its value or throws usage_error.
std::uint64_t whole_number(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most);
double positive_number(std::string_view option, std::string_view text);
double fraction(std::string_view option, std::string_view text);  // 0 to 1
// Reads a number and ns, us, ms or s. If `bare_unit` is not null, a number alone is in that unit.
duration time_span(std::string_view option, std::string_view text, const char* bare_unit);
// Does the same for spans above zero.
duration positive_span(std::string_view option, std::string_view text, const char* bare_unit);
// Reads a number, with or without a sign, and us, ms, s, min, h or d; at most a thousand years.
std::chrono::microseconds signed_span(std::string_view option, std::string_view text);

// Accepts one of two words.
std::string one_of(std::string_view option, std::string_view text, std::string_view first, std::string_view second);

struct time_range {
  duration least, most;
};
time_range span_range(std::string_view option, std::string_view text);  // MIN..MAX, or one span for both

wheel_kind wheel_named(std::string_view option, std::string_view text);
wait_options wait_named(std::string_view option, std::string_view text);

}  // namespace detent::tool
