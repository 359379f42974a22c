// SPDX-License-Identifier: MIT
// The words for every reason that makes timers late: the one table that top, console, report and doctor share, and that
// docs/lateness.md repeats.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace detent::tool {

enum class late_scenario : std::uint8_t {
  machine_halted,
  process_stopped,
  quota_used_up,
  cpu_stolen,
  worker_starved,
  loop_starved,
  worker_away,
  slept,
  slept_too_long,
  spin_cut_short,
  spin_interrupted,
  polled_late,
  behind_callbacks,
  scheduled_late,
  executor_starved,
  executor_full,
  not_visible,
  count_
};

struct scenario_words {
  std::string_view name;     // a clause, as in "the worker had too little CPU"
  std::string_view late_by;  // the parts of the lateness in which it shows
  std::string_view sign;     // how to recognize it
  std::string_view cure;
};

// In the order of the enumeration.
std::span<const scenario_words> all_scenarios();
const scenario_words& words_for(late_scenario scenario);

}  // namespace detent::tool
