// SPDX-License-Identifier: MIT
// Fuzz target: `d` and a file of holidays, or another byte and a file of cases for `detent cron --check`. Each is read,
// or what is wrong is said in one line.
#include <detent/calendar_error.hpp>
#include <detent/day_set.hpp>

#include <string>
#include <string_view>

#include "cron/cron_check.hpp"
#include "search/fuzz/target.hpp"
#include "text/input_error.hpp"

namespace detent::fuzz {
namespace {

void read_days(std::string_view text) {
  try {
    const day_set days = day_set::from_text(text, "file");
    require(days.last_known().has_value(), "a file says what it knows", std::string(text));
  } catch (const error& refusal) {
    require(refusal.code() == calendar_errc::invalid_days, "a file of days is refused as one", refusal.what());
    require_one_line(refusal.what());
  }
}

void check_cases(std::string_view text) {
  try {
    const tool::cron_result result = tool::check_cases("file", text);
    for (std::string_view rest = result.text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      require_one_line(std::string(rest.substr(0, rest.find('\n'))).c_str());
    }
    for (const std::string& each : result.complaints) require_one_line(each.c_str());
  } catch (const tool::input_error& refusal) {
    require_one_line(refusal.what());
  }
}

}  // namespace
}  // namespace detent::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  if (data[0] == 'd') {
    fuzz::read_days(text);
  } else {
    fuzz::check_cases(text);
  }
  return 0;
}
