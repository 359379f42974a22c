// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <string>
#include <utility>

#include "host/cpu_usage.hpp"
#include "lateness/lateness_log.hpp"
#include "lateness/machine_floor.hpp"
#include "text/json_object.hpp"
#include "text/text_table.hpp"

namespace detent::tool {

// Returns the percentiles that are shown: "p50" and 50, and so on up to "max" and 100.
const std::array<std::pair<const char*, double>, 6>& all_percentiles();
std::string percentile_text(const lateness_log& samples, double percentile);  // returns "-" without samples

// Returns "p50 1.2 us, p90 ..., max ...", or "no samples".
std::string lateness_text(const lateness_log& samples);
json_object lateness_json(const lateness_log& samples);  // the percentiles in whole nanoseconds

// Adds the results of a run in real time under any load: its lateness beside the machine's own, early firings, time and
// CPU.
void add_timing(text_table& table, const lateness_log& lateness, const machine_floor& floor, std::uint64_t early,
                const cpu_usage::reading& cpu);
void add_timing(json_object& json, const lateness_log& lateness, const machine_floor& floor, std::uint64_t early,
                const cpu_usage::reading& cpu);
void add_timing_headline(text_table& table, const lateness_log& lateness, std::uint64_t early,
                         const cpu_usage::reading& cpu);

}  // namespace detent::tool
