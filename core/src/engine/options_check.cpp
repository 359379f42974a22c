// SPDX-License-Identifier: MIT
#include "engine/options_check.hpp"

#include "callers/executor_table.hpp"
#include "limits.hpp"
#include "platform/thread_setup.hpp"
#include "platform/tsc_clock.hpp"

#include <detent/counters_layout.hpp>

#include <algorithm>
#include <span>
#include <string_view>

namespace detent::detail {
namespace {

constexpr std::size_t most_instance_bytes = sizeof(counters_layout::header::instance) - 1;
constexpr std::size_t most_nodes = 0xffff0000;  // indices are 32 bits

std::string describe(const char* name, std::string_view value, std::string_view why) {
  return std::string(name).append(" = ").append(value).append(": ").append(why);
}
std::string describe(const char* name, std::uint64_t value, std::string_view why) {
  return describe(name, std::string_view(std::to_string(value)), why);
}
std::string describe(const char* name, int value, std::string_view why) {
  return describe(name, std::string_view(std::to_string(value)), why);
}
std::string describe(const char* name, duration value, std::string_view why) {
  return describe(name, std::string_view(std::to_string(value.count()) + " ns"), why);
}

std::string quoted(std::string_view text) { return std::string("\"").append(text).append("\""); }

// An option that is one of a few: its value, and the names of the choices in their order.
struct choice {
  template <class E>
  choice(const char* option, E chosen, std::span<const char* const> names)
      : name(option), value(static_cast<std::size_t>(chosen)), choices(names) {}

  const char* name;
  std::size_t value;
  std::span<const char* const> choices;
};

constexpr const char *wheels[] = {"hierarchical", "hashed"}, *drives[] = {"worker", "caller"},
                     *clocks[] = {"steady", "tsc", "automatic"}, *refusals[] = {"run_inline", "retry", "drop"},
                     *waits[] = {"busy", "hybrid", "sleep"}, *sources[] = {"mmap", "jemalloc"},
                     *wishes[] = {"off", "attempt", "require"};

std::string check_choices(const engine_options& o) {
  const choice all[] = {{"wheel", o.wheel, wheels},
                        {"drive", o.drive, drives},
                        {"clock", o.clock, clocks},
                        {"on_refusal", o.on_refusal, refusals},
                        {"wait.mode", o.wait.mode, waits},
                        {"memory.source", o.memory.source, sources},
                        {"memory.huge_pages", o.memory.huge_pages, wishes},
                        {"memory.prefault", o.memory.prefault, wishes},
                        {"memory.lock", o.memory.lock, wishes}};
  for (const choice& each : all) {
    const std::size_t n = each.choices.size();
    if (each.value < n) continue;
    std::string why = "no such choice; there are ";
    for (std::size_t i = 0; i < n; ++i) why.append(i == 0 ? "" : i + 1 == n ? " and " : ", ").append(each.choices[i]);
    return describe(each.name, static_cast<int>(each.value), why);
  }
  return {};
}

std::string check_worker(const engine_options& o) {
  if (o.drive == drive_kind::caller) {
    const std::string why = std::string("the engine has no worker (") +
                            (o.manual != nullptr ? "a manual clock is set" : "drive = caller") +
                            "); leave it out, or let a worker drive";
    if (o.cpu) return describe("cpu", *o.cpu, why);
    if (o.realtime_priority) return describe("realtime_priority", *o.realtime_priority, why);
    if (o.cpu_latency_limit) return describe("cpu_latency_limit", *o.cpu_latency_limit, why);
  }
  if (o.cpu && (*o.cpu < 0 || *o.cpu >= cpu_count())) return describe("cpu", *o.cpu, "no such CPU; " + describe_cpus());
  if (o.realtime_priority && (*o.realtime_priority < 1 || *o.realtime_priority > 99))
    return describe("realtime_priority", *o.realtime_priority, "must be 1 to 99, as SCHED_FIFO has them");
  if (o.cpu_latency_limit && (*o.cpu_latency_limit < duration(0) || *o.cpu_latency_limit > std::chrono::seconds(1)))
    return describe("cpu_latency_limit", *o.cpu_latency_limit, "must be 0 ns to 1 s");
  return {};
}

std::string check_times(const engine_options& o) {
  if (o.tick <= duration(0)) return describe("tick", o.tick, "must be at least 1 ns");
  if (o.wake_budget <= duration(0)) return describe("wake_budget", o.wake_budget, "must be more than 0 ns");
  if (o.slow_threshold <= duration(0)) return describe("slow_threshold", o.slow_threshold, "must be more than 0 ns");
  if (o.wait.max_spin < duration(0)) return describe("wait.max_spin", o.wait.max_spin, "must not be negative");
  return {};
}

std::string check_clock(const engine_options& o) {
  if (o.clock != clock_kind::tsc) return {};
  if (o.manual != nullptr) return "clock = tsc: a manual clock is set as well; set one of the two";
  if (tsc_clock::shared() == nullptr)
    return "clock = tsc: this machine's TSC is not invariant; clock = automatic takes it where it is";
  return {};
}

std::string check_memory(const engine_options& o) {
  if (o.hashed_slots == 0 || o.hashed_slots > limits::hashed_slots)
    return describe("hashed_slots", o.hashed_slots, "must be 1 to " + std::to_string(limits::hashed_slots));
  if (o.reserve > most_nodes) return describe("reserve", o.reserve, "must be at most " + std::to_string(most_nodes));
  if (o.memory.numa_node && *o.memory.numa_node < 0)
    return describe("memory.numa_node", *o.memory.numa_node, "must not be negative");
  if (o.memory.give_back_after < duration(0))
    return describe("memory.give_back_after", o.memory.give_back_after, "must not be negative");
  if (o.memory.give_back_after != duration(0) && o.memory.lock != preference::off)
    return describe("memory.give_back_after", o.memory.give_back_after,
                    "memory.lock keeps the pages in memory; set one of the two");
  return {};
}

std::string check_files(const engine_options& o) {
  if (o.counters_file.find('\0') != std::string::npos)
    return describe("counters_file", quoted(o.counters_file.c_str()), "a file's name has no NUL in it");
  if (o.instance.find('\0') != std::string::npos)
    return describe("instance", quoted(o.instance.c_str()),
                    "must not contain a NUL: its readers would see only what stands before that");
  if (o.instance.size() > most_instance_bytes)
    return describe("instance", quoted(o.instance),
                    "has " + std::to_string(o.instance.size()) + " bytes, and at most " +
                        std::to_string(most_instance_bytes) + " fit into the counters_file; shorten it");
  if (!o.record.empty() && o.record == o.counters_file)
    return describe("record", quoted(o.record), "is the counters_file as well; name two files");
  return {};
}

std::string check_shard(const engine_options& o) {
  if (o.shard.set == 0 || o.shard.index < o.shard.shards) return {};
  return describe("shard.index", std::uint64_t(o.shard.index),
                  "must be less than shard.shards, " + std::to_string(o.shard.shards));
}

std::string check_executors(const engine_options& o) {
  if (o.executors.size() > executor_table::most)
    return describe("executors.size()", o.executors.size(), "must be at most " + std::to_string(executor_table::most));
  const auto null = std::find(o.executors.begin(), o.executors.end(), nullptr);
  if (null != o.executors.end())
    return "executors[" + std::to_string(null - o.executors.begin()) + "] = null: must be an executor";
  return {};
}

}  // namespace

std::string settle_options(engine_options& o) {
  if (o.manual != nullptr) o.drive = drive_kind::caller;
  for (const auto check : {check_choices, check_times, check_clock, check_memory, check_files, check_executors,
                           check_shard, check_worker}) {
    if (std::string problem = check(o); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace detent::detail
