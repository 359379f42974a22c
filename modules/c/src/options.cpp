// SPDX-License-Identifier: MIT
#include "options.hpp"

#include "last_error.hpp"

#include <detent/error.hpp>
#include <detent/keyed_pool.hpp>
#include <detent/thread_pool.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace detent::c {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw error(errc::invalid_option, "detent_options: " + what); }

// Returns `value` as an enumerator up to `highest`. `names` is for the message.
template <class Enum>
Enum chosen(const char* option, int value, Enum highest, const char* names) {
  if (value < 0 || value > static_cast<int>(highest))
    refuse(std::string(option) + " = " + std::to_string(value) + ": must be one of " + names + "*, 0 to " +
           std::to_string(static_cast<int>(highest)));
  return static_cast<Enum>(value);
}

static_assert(static_cast<int>(wheel_kind::hashed) == DETENT_WHEEL_HASHED);
static_assert(static_cast<int>(wait_options::kind::hybrid) == DETENT_WAIT_HYBRID);
static_assert(static_cast<int>(wait_options::kind::sleep) == DETENT_WAIT_SLEEP);
static_assert(static_cast<int>(drive_kind::caller) == DETENT_DRIVE_CALLER);
static_assert(static_cast<int>(clock_kind::tsc) == DETENT_CLOCK_TSC);
static_assert(static_cast<int>(clock_kind::automatic) == DETENT_CLOCK_AUTOMATIC);
static_assert(static_cast<int>(refusal_policy::retry) == DETENT_REFUSED_RETRY);
static_assert(static_cast<int>(refusal_policy::drop) == DETENT_REFUSED_DROP);
static_assert(static_cast<int>(memory_source::jemalloc) == DETENT_MEMORY_JEMALLOC);
static_assert(static_cast<int>(preference::attempt) == DETENT_PREFERENCE_ATTEMPT);
static_assert(static_cast<int>(preference::require) == DETENT_PREFERENCE_REQUIRE);

wait_options mode_of(const detent_options& from) {
  switch (chosen("wait", from.wait, wait_options::kind::sleep, "DETENT_WAIT_")) {
    case wait_options::kind::busy: return wait_options::busy();
    case wait_options::kind::hybrid: return wait_options::hybrid(duration(from.max_spin_ns));
    case wait_options::kind::sleep: break;
  }
  return wait_options::sleep();
}

wait_options wait_of(const detent_options& from) {
  wait_options to = mode_of(from);
  to.light_spin = from.light_spin != 0;
  return to;
}

std::shared_ptr<executor> pool_of(const detent_options& from, const std::string& name) {
  if (from.pool_threads == 0) {
    if (from.pool_keyed != 0) refuse("pool_keyed = " + std::to_string(from.pool_keyed) + ": needs pool_threads");
    return nullptr;
  }
  if (from.pool_keyed != 0)
    return std::make_shared<keyed_pool>(keyed_pool_options{
        .threads = from.pool_threads, .queue_capacity = from.pool_queue_capacity, .name = name + "-pool"});
  return std::make_shared<thread_pool>(thread_pool_options{
      .threads = from.pool_threads, .queue_capacity = from.pool_queue_capacity, .name = name + "-pool"});
}

}  // namespace

engine_options translate(const detent_options& from) {
  if (from.size != sizeof(detent_options))
    refuse("size = " + std::to_string(from.size) + ": not set up by detent_options_init(); call it first");
  if (std::any_of(std::begin(from.reserved), std::end(from.reserved), [](auto word) { return word != 0; }))
    refuse("reserved: must be all 0, as detent_options_init() sets it");
  engine_options to;
  to.tick = duration(from.tick_ns);
  to.wheel = chosen("wheel", from.wheel, wheel_kind::hashed, "DETENT_WHEEL_");
  to.hashed_slots = from.hashed_slots;
  to.wait = wait_of(from);
  to.drive = chosen("drive", from.drive, drive_kind::caller, "DETENT_DRIVE_");
  to.clock = chosen("clock", from.clock, clock_kind::automatic, "DETENT_CLOCK_");
  if (from.cpu != -1) to.cpu = from.cpu;
  if (from.realtime_priority != 0) to.realtime_priority = from.realtime_priority;
  if (from.cpu_latency_limit_ns != 0) to.cpu_latency_limit = duration(from.cpu_latency_limit_ns);
  to.max_pending = from.max_pending;
  to.reserve = from.reserve;
  to.memory.source = chosen("memory_source", from.memory_source, memory_source::jemalloc, "DETENT_MEMORY_");
  to.memory.huge_pages = chosen("huge_pages", from.huge_pages, preference::require, "DETENT_PREFERENCE_");
  to.memory.prefault = chosen("prefault", from.prefault, preference::require, "DETENT_PREFERENCE_");
  to.memory.lock = chosen("lock_memory", from.lock_memory, preference::require, "DETENT_PREFERENCE_");
  if (from.numa_node != -1) to.memory.numa_node = from.numa_node;
  to.on_refusal = chosen("on_refusal", from.on_refusal, refusal_policy::drop, "DETENT_REFUSED_");
  if (from.name != nullptr) to.name = from.name;
  to.executor = pool_of(from, to.name);
  return to;
}

}  // namespace detent::c

void detent_options_init(detent_options* options) {
  if (!detent::c::are_given("options", options)) return;
  const detent::engine_options defaults;
  *options = {};
  options->size = sizeof(detent_options);
  options->tick_ns = defaults.tick.count();
  options->wheel = static_cast<int>(defaults.wheel);
  options->wait = static_cast<int>(defaults.wait.mode);
  options->hashed_slots = defaults.hashed_slots;
  options->max_spin_ns = defaults.wait.max_spin.count();
  options->drive = static_cast<int>(defaults.drive);
  options->clock = static_cast<int>(defaults.clock);
  options->cpu = -1;
  options->max_pending = defaults.max_pending;
  options->reserve = defaults.reserve;
  options->memory_source = static_cast<int>(defaults.memory.source);
  options->huge_pages = static_cast<int>(defaults.memory.huge_pages);
  options->prefault = static_cast<int>(defaults.memory.prefault);
  options->lock_memory = static_cast<int>(defaults.memory.lock);
  options->numa_node = -1;
  options->on_refusal = static_cast<int>(defaults.on_refusal);
  options->pool_queue_capacity = detent::thread_pool_options{}.queue_capacity;
}
