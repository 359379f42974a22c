// SPDX-License-Identifier: MIT
#pragma once
#include <detent/schedule.hpp>

#include <string>
#include <string_view>

namespace detent::tool {

// A schedule in words, as on the command line and in files of cases. An empty word stands for the default.
struct schedule_words {
  std::string expression, dialect, zone, gap, overlap;
};

inline constexpr std::string_view dialect_words = "quartz or unix", gap_words = "after or skip",
                                  overlap_words = "once or twice";

bool is_dialect(std::string_view word);
bool is_gap(std::string_view word);
bool is_overlap(std::string_view word);

// Throws detent::error if the zone or the expression is refused. The other words must be known ones.
schedule schedule_of(const schedule_words& words);

}  // namespace detent::tool
