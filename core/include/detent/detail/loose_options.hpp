// SPDX-License-Identifier: MIT
// Makes the compiler name an option of a wrong type in engine({...}). Without this it lists constructors, none of which
// fits.
#pragma once

#include <detent/options.hpp>

#include <type_traits>

namespace detent::detail {

// Stands for one option. It takes any value that is written for the option, and does not compile unless the value fits.
// NOLINTBEGIN(bugprone-macro-parentheses): what it declares has a name, and a name no parentheses.
#define DETENT_DETAIL_LOOSE(owner, option, wanted)                                                         \
  struct option##_option {                                                                                 \
    option##_option() = default;                                                                           \
    template <class T = decltype(owner::option)>                                                           \
    option##_option(const T&) {                                                                            \
      static_assert(std::is_convertible_v<T, decltype(owner::option)>, #owner "::" #option " is " wanted); \
    }                                                                                                      \
  } option = {}
// NOLINTEND(bugprone-macro-parentheses)
#define DETENT_DETAIL_LOOSE_OPTION(option, wanted) DETENT_DETAIL_LOOSE(engine_options, option, wanted)
#define DETENT_DETAIL_LOOSE_MEMORY(option, wanted) DETENT_DETAIL_LOOSE(memory_options, option, wanted)

struct loose_memory_options {
  DETENT_DETAIL_LOOSE_MEMORY(source, "a detent::memory_source");
  DETENT_DETAIL_LOOSE_MEMORY(huge_pages, "a detent::preference");
  DETENT_DETAIL_LOOSE_MEMORY(prefault, "a detent::preference");
  DETENT_DETAIL_LOOSE_MEMORY(lock, "a detent::preference");
  DETENT_DETAIL_LOOSE_MEMORY(numa_node, "a node's number, such as 0");
  DETENT_DETAIL_LOOSE_MEMORY(give_back_after, "a duration of whole nanoseconds, such as 10s");
};

// The options of engine_options by the same names, in the same order.
struct loose_engine_options {
  DETENT_DETAIL_LOOSE_OPTION(name, "a string");
  DETENT_DETAIL_LOOSE_OPTION(drive, "a detent::drive_kind");
  DETENT_DETAIL_LOOSE_OPTION(manual, "a pointer to a detent::manual_clock");
  DETENT_DETAIL_LOOSE_OPTION(tick, "a duration of whole nanoseconds, such as 100us");
  DETENT_DETAIL_LOOSE_OPTION(wait, "a detent::wait_options, such as wait_options::busy()");
  DETENT_DETAIL_LOOSE_OPTION(max_pending, "a whole number");
  DETENT_DETAIL_LOOSE_OPTION(executor, "a std::shared_ptr to a detent::executor");
  DETENT_DETAIL_LOOSE_OPTION(executors, "a list of std::shared_ptr to detent::executor");
  DETENT_DETAIL_LOOSE_OPTION(on_refusal, "a detent::refusal_policy");
  DETENT_DETAIL_LOOSE_OPTION(cpu, "a CPU's number, such as 0");
  DETENT_DETAIL_LOOSE_OPTION(realtime_priority, "a number from 1 to 99");
  DETENT_DETAIL_LOOSE_OPTION(on_error, "called as f(const detent::failed_callback&) or as f(std::exception_ptr)");
  DETENT_DETAIL_LOOSE_OPTION(slow_threshold, "a duration of whole nanoseconds, such as 10ms");
  DETENT_DETAIL_LOOSE_OPTION(on_slow, "called as f(const detent::slow_callback&)");
  DETENT_DETAIL_LOOSE_OPTION(capture_origin, "true or false");
  DETENT_DETAIL_LOOSE_OPTION(reserve, "a whole number");
  DETENT_DETAIL_LOOSE_OPTION(counters_file, "a string");
  DETENT_DETAIL_LOOSE_OPTION(instance, "a string");
  DETENT_DETAIL_LOOSE_OPTION(record, "a string");
  DETENT_DETAIL_LOOSE_OPTION(cpu_latency_limit, "a duration of whole nanoseconds, such as 20us");
  DETENT_DETAIL_LOOSE_OPTION(clock, "a detent::clock_kind");
  loose_memory_options memory = {};  // an aggregate, because only that takes a list with names
  DETENT_DETAIL_LOOSE_OPTION(wake_budget, "a duration of whole nanoseconds, such as 1ms");
  DETENT_DETAIL_LOOSE_OPTION(wheel, "a detent::wheel_kind");
  DETENT_DETAIL_LOOSE_OPTION(hashed_slots, "a whole number");
  DETENT_DETAIL_LOOSE_OPTION(shard, "a detent::shard_identity");
};

#undef DETENT_DETAIL_LOOSE_MEMORY
#undef DETENT_DETAIL_LOOSE_OPTION
#undef DETENT_DETAIL_LOOSE

}  // namespace detent::detail
