// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "cpu_usage.hpp"
#include "json_object.hpp"
#include "lateness_log.hpp"
#include "text_table.hpp"

namespace detent::tool {

// "p50 1.2 us, p90 ..., max ...", or "no samples".
std::string lateness_text(const lateness_log& samples);
json_object lateness_json(const lateness_log& samples);  // percentiles in whole nanoseconds

// What real time has to say whatever the load: lateness beside that of a bare spin loop, early firings, time and CPU.
void add_timing(text_table& table, const lateness_log& lateness, const lateness_log& bare_spin_loop,
                std::uint64_t early, const cpu_usage::reading& cpu);
void add_timing(json_object& json, const lateness_log& lateness, const lateness_log& bare_spin_loop,
                std::uint64_t early, const cpu_usage::reading& cpu);
void add_timing_headline(text_table& table, const lateness_log& lateness, std::uint64_t early,
                         const cpu_usage::reading& cpu);

}  // namespace detent::tool
