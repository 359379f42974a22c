// SPDX-License-Identifier: MIT
// Fuzz target: a byte that chooses dialect, zone and rules, four bytes of a time, then an expression. Either it is
// refused by one line that says where, or its due times grow, and asking from between two of them gives the later one.
#include <detent/schedule.hpp>

#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "search/fuzz/target.hpp"

namespace detent::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr std::array<const char*, 4> zones = {"UTC", "America/New_York", "Africa/Cairo", "Pacific/Apia"};
constexpr std::size_t head = 5;

schedule read(std::uint8_t choice, std::string_view expression) {
  const schedule_options options = {.zone = time_zone::load(zones[choice / 8 % zones.size()]),
                                    .gap = (choice & 2) != 0 ? in_gap::skip : in_gap::after,
                                    .overlap = (choice & 4) != 0 ? in_overlap::twice : in_overlap::once};
  return (choice & 1) != 0 ? schedule::unix_cron(expression, options) : schedule::quartz(expression, options);
}

void walk(const schedule& when, wall_time after) {
  for (int i = 0; i < 8; ++i) {
    const std::optional<wall_time> next = when.next(after);
    if (!next) return;
    require(*next > after, "a due time is later than what it is asked after", when.text());
    require(next->time_since_epoch() % 1s == 0s, "a due time is a whole second", when.text());
    const wall_time between = after + (*next - after) / 2;
    require(when.next(between) == next && when.next(*next - 1ns) == next, "nothing is due before the next due time",
            when.text());
    after = *next;
  }
}

void check_refusal(const schedule_error& refusal, std::string_view expression) {
  require_one_line(refusal.what());
  require(refusal.column() >= 1 && refusal.column() + refusal.value().size() <= expression.size() + 1,
          "the place of an error lies in the expression", refusal.what());
  require(expression.substr(refusal.column() - 1, refusal.value().size()) == refusal.value(),
          "the value stands at the column", refusal.what());
}

}  // namespace
}  // namespace detent::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  if (size < fuzz::head) return 0;
  std::uint32_t from = 0;
  std::memcpy(&from, data + 1, sizeof from);
  const std::string_view expression = fuzz::text_of(data + fuzz::head, size - fuzz::head);
  try {
    fuzz::walk(fuzz::read(data[0], expression), wall_time(std::chrono::seconds(from)));
  } catch (const schedule_error& refusal) {
    fuzz::check_refusal(refusal, expression);
  }
  return 0;
}
