// SPDX-License-Identifier: MIT
#include "lateness_text.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "units.hpp"

namespace detent::tool {
namespace {

constexpr std::array<std::pair<const char*, double>, 5> percentiles = {
    {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}}};

std::string percentile_text(const lateness_log& samples, double percentile) {
  return samples.count() == 0 ? "-" : time_text(static_cast<double>(samples.percentile(percentile)));
}

}  // namespace

std::string lateness_text(const lateness_log& samples) {
  if (samples.count() == 0) return "no samples";
  std::string out;
  for (const auto& [name, percentile] : percentiles) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, percentile_text(samples, percentile));
  }
  return out;
}

json_object lateness_json(const lateness_log& samples) {
  json_object json;
  json.count("samples", samples.count());
  for (const auto& [name, percentile] : percentiles) json.count(name, samples.percentile(percentile));
  return json;
}

void add_timing(text_table& table, const lateness_log& lateness, const lateness_log& bare_spin_loop,
                std::uint64_t early, const cpu_usage::reading& cpu) {
  table.add("fired early", early == 0 ? "0 (as it must be)" : count_text(early));
  table.add("lateness of fired timers", lateness_text(lateness));
  table.add("bare spin loop", lateness_text(bare_spin_loop));
  table.add("wall time", time_text(cpu.seconds * 1e9));
  table.add("CPU", fmt::format("process {}, worker thread {} of one CPU", percent_text(cpu.process),
                               percent_text(cpu.worker)));
}

void add_timing(json_object& json, const lateness_log& lateness, const lateness_log& bare_spin_loop,
                std::uint64_t early, const cpu_usage::reading& cpu) {
  json.count("fired_early", early)
      .object("lateness_ns", lateness_json(lateness))
      .object("bare_spin_loop_ns", lateness_json(bare_spin_loop))
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
