// SPDX-License-Identifier: MIT
#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace peers {
namespace {

// Enough for a median. The whole default run must take less than twelve minutes.
constexpr int rounds_of_long_works = 3;

task pairs(const char* work, std::uint64_t live, std::uint64_t producers, std::uint64_t milliseconds) {
  return {.work = work, .numbers = {{"live", live}, {"producers", producers}, {"milliseconds", milliseconds}}};
}

task firing(std::uint64_t timers, std::uint64_t spread_ms) {
  return {.work = "fire", .numbers = {{"timers", timers}, {"spread_ms", spread_ms}}, .rounds = rounds_of_long_works};
}

task lateness(std::uint64_t milliseconds) {
  return {
      .work = "lateness", .numbers = {{"rate", 1000}, {"milliseconds", milliseconds}}, .rounds = rounds_of_long_works};
}

task calls(std::uint64_t milliseconds) {
  return {
      .work = "calls", .numbers = {{"live", 10'000}, {"milliseconds", milliseconds}}, .rounds = rounds_of_long_works};
}

task memory(std::uint64_t timers) { return {.work = "memory", .numbers = {{"timers", timers}}, .rounds = 1}; }

task floors(std::uint64_t milliseconds) { return {.work = "floors", .numbers = {{"milliseconds", milliseconds}}}; }

std::vector<task> full_plan() {
  // Beyond a million, only the fastest fill their window in time.
  task most = pairs("pair", 10'000'000, 1, 200);
  most.only = {"detent"};
  task ticking = firing(2'000'000, 1000);
  ticking.only = {"detent-tick1ms", "detent-hashed", "netty"};
  return {floors(300),
          pairs("pair", 1, 1, 200),
          pairs("pair", 1, 2, 200),
          pairs("pair", 1, 4, 200),
          pairs("pair", 1000, 1, 200),
          pairs("pair", 100'000, 1, 200),
          pairs("pair", 1'000'000, 1, 200),
          most,
          pairs("pair_at", 1, 1, 200),
          pairs("pair_at", 100'000, 1, 200),
          firing(1'000'000, 1000),
          ticking,
          lateness(3000),
          calls(1500),
          memory(1'000'000)};
}

std::uint64_t number(const task& asked, const std::string& name) {
  return std::ranges::find(asked.numbers, name, &std::pair<std::string, std::uint64_t>::first)->second;
}

bool has_numbers(const nlohmann::ordered_json& answer, std::initializer_list<const char*> names) {
  return std::ranges::all_of(names, [&](const char* name) {
    const auto found = answer.find(name);
    return found != answer.end() && found->is_number();
  });
}

std::string implausible_lateness(const task& asked, const nlohmann::ordered_json& answer) {
  if (!has_numbers(answer, {"count", "early", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"})) return "incomplete";
  const std::uint64_t wanted = number(asked, "rate") * number(asked, "milliseconds") / 1000;
  if (answer["count"] != wanted) return fmt::format("count is not {}", wanted);
  if (answer["early"] < 0 || answer["early"] > wanted) return "early is out of range";
  if (answer["p50_ns"] > answer["p90_ns"] || answer["p90_ns"] > answer["p99_ns"] ||
      answer["p99_ns"] > answer["p999_ns"] || answer["p999_ns"] > answer["max_ns"]) {
    return "the percentiles do not ascend";
  }
  return {};
}

std::string implausible_calls(const nlohmann::ordered_json& answer) {
  for (const char* call : {"schedule", "cancel"}) {
    const std::string name(call), median = name + "_p50_ns", most = name + "_p9999_ns";
    if (!has_numbers(answer, {median.c_str(), most.c_str()})) return "incomplete";
    if (answer[median] <= 0 || answer[median] > answer[most]) return "the percentiles do not ascend";
  }
  return {};
}

}  // namespace

std::string task::request() const {
  std::string line = work;
  for (const auto& [name, value] : numbers) line += fmt::format(" {}={}", name, value);
  return line;
}

std::vector<task> plan(plan_size size) {
  switch (size) {
    case plan_size::full: return full_plan();
    case plan_size::quick:
      return {floors(100),
              pairs("pair", 1, 1, 50),
              pairs("pair", 1, 2, 50),
              pairs("pair", 100'000, 1, 50),
              pairs("pair_at", 1, 1, 50),
              firing(100'000, 200),
              lateness(500),
              calls(200),
              memory(100'000)};
    case plan_size::smoke:
      return {floors(12),
              pairs("pair", 1, 1, 5),
              pairs("pair", 100, 2, 5),
              pairs("pair_at", 1, 1, 5),
              firing(1000, 10),
              lateness(50),
              calls(2),
              memory(100'000)};
  }
  return {};
}

std::vector<std::string> works() { return {"floors", "pair", "pair_at", "fire", "lateness", "calls", "memory"}; }

std::string implausible(const task& asked, const nlohmann::ordered_json& answer) {
  if (asked.work == "floors") {
    for (const auto& [name, value] : answer.items()) {
      if (!value.is_number() || value < 0) return name + " is no cost";
    }
    return {};
  }
  if (asked.work == "memory") {
    return has_numbers(answer, {"bytes"}) && answer["bytes"] >= 0 ? "" : "bytes is not a size";
  }
  if (!has_numbers(answer, {"wall_ns", "cpu_ns"})) return "incomplete";
  if (answer["wall_ns"] <= 0 || answer["cpu_ns"] < 0) return "time did not pass";
  if (asked.work == "lateness") return implausible_lateness(asked, answer);
  if (asked.work == "calls") return implausible_calls(answer);
  if (asked.work == "fire") {
    return has_numbers(answer, {"timers"}) && answer["timers"] == number(asked, "timers") ? "" : "not all have fired";
  }
  return has_numbers(answer, {"pairs"}) && answer["pairs"] > 0 ? "" : "no pairs";
}

}  // namespace peers
