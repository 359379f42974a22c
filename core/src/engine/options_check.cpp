// SPDX-License-Identifier: MIT
#include "engine/options_check.hpp"

#include "platform/tsc_clock.hpp"

#include <unistd.h>

#include <limits>

namespace detent::detail {
namespace {

constexpr std::size_t most_hashed_slots = std::size_t{1} << 24;
constexpr std::size_t most_nodes = 0xffff0000;  // indices are 32 bits

template <class E>
bool within(E value, E last) {
  return static_cast<unsigned>(value) <= static_cast<unsigned>(last);
}

std::string describe(const char* name, long long value, const char* why) {
  return std::string(name) + " = " + std::to_string(value) + ": " + why;
}

std::string check_choices(const engine_options& o) {
  auto choice = [](const char* name, auto value) {
    return describe(name, static_cast<long long>(value), "no such choice");
  };
  if (!within(o.wheel, wheel_kind::hashed)) return choice("wheel", o.wheel);
  if (!within(o.drive, drive_kind::caller)) return choice("drive", o.drive);
  if (!within(o.clock, clock_kind::tsc)) return choice("clock", o.clock);
  if (!within(o.on_refusal, refusal_policy::drop)) return choice("on_refusal", o.on_refusal);
  if (!within(o.wait.mode, wait_options::kind::sleep)) return choice("wait", o.wait.mode);
  if (!within(o.memory.source, memory_source::jemalloc)) return choice("memory.source", o.memory.source);
  if (!within(o.memory.huge_pages, wish::require)) return choice("memory.huge_pages", o.memory.huge_pages);
  if (!within(o.memory.prefault, wish::require)) return choice("memory.prefault", o.memory.prefault);
  if (!within(o.memory.lock, wish::require)) return choice("memory.lock", o.memory.lock);
  return {};
}

std::string check_worker(const engine_options& o) {
  if (o.drive == drive_kind::caller) {
    if (o.cpu) return describe("cpu", *o.cpu, "the engine has no worker to pin (drive = caller)");
    if (o.realtime_priority)
      return describe("realtime_priority", *o.realtime_priority, "the engine has no worker (drive = caller)");
  }
  if (o.cpu && (*o.cpu < 0 || *o.cpu >= sysconf(_SC_NPROCESSORS_CONF))) return describe("cpu", *o.cpu, "no such CPU");
  if (o.realtime_priority && (*o.realtime_priority < 1 || *o.realtime_priority > 99))
    return describe("realtime_priority", *o.realtime_priority, "SCHED_FIFO has 1 to 99");
  return {};
}

}  // namespace

std::string settle_options(engine_options& o) {
  if (o.manual != nullptr) o.drive = drive_kind::caller;
  if (std::string wrong = check_choices(o); !wrong.empty()) return wrong;
  if (o.tick.count() <= 0) return describe("tick", o.tick.count(), "must be at least 1 ns");
  if (o.wake_budget.count() <= 0) return describe("wake_budget", o.wake_budget.count(), "must be more than 0 ns");
  if (o.slow_threshold.count() <= 0)
    return describe("slow_threshold", o.slow_threshold.count(), "must be more than 0 ns");
  if (o.hashed_slots == 0 || o.hashed_slots > most_hashed_slots)
    return "hashed_slots = " + std::to_string(o.hashed_slots) + ": must be 1 to " + std::to_string(most_hashed_slots);
  if (o.wait.max_spin.count() < 0) return describe("wait.max_spin", o.wait.max_spin.count(), "must not be negative");
  if (o.clock == clock_kind::tsc && o.manual != nullptr) return "clock = tsc: a manual clock is set as well";
  if (o.clock == clock_kind::tsc && tsc_clock::shared() == nullptr)
    return "clock = tsc: this machine's TSC is not invariant";
  if (o.reserve > most_nodes)
    return "reserve = " + std::to_string(o.reserve) + ": at most " + std::to_string(most_nodes);
  if (o.memory.numa_node && *o.memory.numa_node < 0)
    return describe("memory.numa_node", *o.memory.numa_node, "must not be negative");
  if (o.counters_file.find('\0') != std::string::npos)
    return std::string("counters_file = ") + o.counters_file.c_str() + ": a file's name has no NUL in it";
  if (!o.record.empty() && o.record == o.counters_file)
    return "record = " + o.record + ": is the counters_file as well";
  return check_worker(o);
}

}  // namespace detent::detail
