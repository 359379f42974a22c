// SPDX-License-Identifier: MIT
// Fuzz target: the first byte chooses a reader of option values or a writer of units, the rest is what it gets.
#include "text/option_values.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "search/fuzz/target.hpp"
#include "text/input_error.hpp"
#include "text/units.hpp"

namespace detent::fuzz {
namespace {

template <class Number>
Number number_of(std::string_view bytes) {
  Number number{};
  bytes = bytes.substr(0, sizeof(number));
  if (!bytes.empty()) std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

void read_whole_number(std::string_view text) {
  const std::uint64_t value = tool::whole_number("--n", text, 3, 1'000);
  require(value >= 3 && value <= 1'000, "a whole number is within its bounds", std::to_string(value));
}

void read_span(std::string_view text, const char* bare_unit) {
  const duration span = tool::time_span("--t", text, bare_unit);
  require(span >= duration(0), "a span is not negative", std::string(text));
}

void read_range(std::string_view text) {
  const tool::time_range range = tool::span_range("--d", text);
  require(range.least <= range.most && range.least >= duration(0), "a range goes up from zero", std::string(text));
}

void read_positive(std::string_view text) {
  const double value = tool::positive_number("--x", text);
  require(std::isfinite(value) && value > 0, "a positive number is one", std::string(text));
}

void read_fraction(std::string_view text) {
  const double value = tool::fraction("--f", text);
  require(value >= 0 && value <= 1, "a fraction is from 0 to 1", std::string(text));
}

void write_count(std::string_view bytes) {
  const auto count = number_of<std::uint64_t>(bytes);
  std::string text = tool::count_text(count);
  std::erase(text, ',');
  require(text == std::to_string(count), "a count is its digits", text);
}

// At least a digit, a space, a unit.
void check_quantity(const std::string& text) {
  require(text.find(' ') != std::string::npos && text.find(' ') > 0 && text.back() != ' ', "a number and a unit", text);
  require_one_line(text.c_str());
}

void use(std::uint8_t choice, std::string_view rest) {
  switch (choice % 12) {
    case 0: return read_whole_number(rest);
    case 1: return read_positive(rest);
    case 2: return read_fraction(rest);
    case 3: return read_span(rest, nullptr);
    case 4: return read_span(rest, "s");
    case 5: return read_range(rest);
    case 6: return static_cast<void>(tool::wheel_named("--wheel", rest));
    case 7: return static_cast<void>(tool::wait_named("--wait", rest));
    case 8: return check_quantity(tool::time_text(number_of<double>(rest)));
    case 9: return write_count(rest);
    case 10: return check_quantity(tool::percent_text(number_of<double>(rest)));
    default: return check_quantity(tool::bytes_text(number_of<std::uint64_t>(rest)));
  }
}

}  // namespace
}  // namespace detent::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  if (size == 0) return 0;
  try {
    fuzz::use(data[0], fuzz::text_of(data + 1, size - 1));
  } catch (const tool::usage_error& refusal) {
    fuzz::require_one_line(refusal.what());
  }
  return 0;
}
