// SPDX-License-Identifier: MIT
#include "lateness/lateness_text.hpp"

#include <fmt/format.h>

#include "text/units.hpp"

namespace detent::tool {
const std::array<std::pair<const char*, double>, 6>& all_percentiles() {
  static constexpr std::array<std::pair<const char*, double>, 6> all = {
      {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}, {"max", 100}}};
  return all;
}

std::string percentile_text(const lateness_log& samples, double percentile) {
  return samples.count() == 0 ? "-" : time_text(static_cast<double>(samples.percentile(percentile)));
}

std::string lateness_text(const lateness_log& samples) {
  if (samples.count() == 0) return "no samples";
  std::string out;
  for (const auto& [name, percentile] : all_percentiles()) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, percentile_text(samples, percentile));
  }
  return out;
}

json_object lateness_json(const lateness_log& samples) {
  json_object json;
  json.count("samples", samples.count());
  for (const auto& [name, percentile] : all_percentiles()) json.count(name, samples.percentile(percentile));
  return json;
}

void add_timing(text_table& table, const lateness_log& lateness, const machine_floor& floor, std::uint64_t early,
                const cpu_usage::reading& cpu) {
  table.add("fired early", early == 0 ? "0 (expected)" : count_text(early));
  table.add("lateness of fired timers", lateness_text(lateness));
  table.add("bare spin loop", lateness_text(floor.spin));
  table.add("bare clock_nanosleep", lateness_text(floor.sleep));
  table.add("wall time", time_text(cpu.seconds * 1e9));
  table.add("CPU", fmt::format("process {}, worker thread {} of one CPU", percent_text(cpu.process),
                               percent_text(cpu.worker)));
}

void add_timing(json_object& json, const lateness_log& lateness, const machine_floor& floor, std::uint64_t early,
                const cpu_usage::reading& cpu) {
  json.count("fired_early", early)
      .object("lateness_ns", lateness_json(lateness))
      .object("bare_spin_loop_ns", lateness_json(floor.spin))
      .object("bare_sleep_ns", lateness_json(floor.sleep))
      .number("wall_seconds", cpu.seconds)
      .number("cpu_process", cpu.process)
      .number("cpu_worker", cpu.worker);
}

void add_timing_headline(text_table& table, const lateness_log& lateness, std::uint64_t early,
                         const cpu_usage::reading& cpu) {
  table.add("median lateness", percentile_text(lateness, 50));
  table.add("p99 lateness", percentile_text(lateness, 99));
  table.add("worst lateness", percentile_text(lateness, 100));
  table.add("fired early", count_text(early));
  table.add("CPU of the worker", percent_text(cpu.worker));
}

}  // namespace detent::tool
