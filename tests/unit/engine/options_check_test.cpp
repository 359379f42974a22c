// SPDX-License-Identifier: MIT
#include "engine/options_check.hpp"

#include "platform/tsc_clock.hpp"
#include "support/platform/process.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace detent::detail {
namespace {

using change = std::function<void(engine_options&)>;

std::string settled(const change& make) {
  engine_options options;
  make(options);
  return settle_options(options);
}

template <class E>
E beyond(E last) {
  return static_cast<E>(static_cast<int>(last) + 1);
}

TEST(OptionsCheck, FindsNothingWrongWithTheDefaults) {
  engine_options options;
  EXPECT_EQ(settle_options(options), "");
  EXPECT_EQ(options.drive, drive_kind::worker);
}

TEST(OptionsCheck, NamesEachImpossibleOptionAndItsValue) {
  struct {
    const char* begins;
    change make;
  } const cases[] = {
      {"tick = 0 ns: ", [](engine_options& o) { o.tick = duration(0); }},
      {"tick = -7 ns: ", [](engine_options& o) { o.tick = duration(-7); }},
      {"wake_budget = 0 ns: ", [](engine_options& o) { o.wake_budget = duration(0); }},
      {"slow_threshold = 0 ns: ", [](engine_options& o) { o.slow_threshold = duration(0); }},
      {"wheel = 2: ", [](engine_options& o) { o.wheel = beyond(wheel_kind::hashed); }},
      {"drive = 2: ", [](engine_options& o) { o.drive = beyond(drive_kind::caller); }},
      {"clock = 3: ", [](engine_options& o) { o.clock = beyond(clock_kind::automatic); }},
      {"on_refusal = 3: ", [](engine_options& o) { o.on_refusal = beyond(refusal_policy::drop); }},
      {"wait.mode = 3: ", [](engine_options& o) { o.wait.mode = beyond(wait_options::kind::sleep); }},
      {"wait.max_spin = -1 ns: ", [](engine_options& o) { o.wait.max_spin = duration(-1); }},
      {"hashed_slots = 0: ", [](engine_options& o) { o.hashed_slots = 0; }},
      {"hashed_slots = 16777217: ", [](engine_options& o) { o.hashed_slots = (1U << 24) + 1; }},
      {"hashed_slots = 18446744073709551615: ", [](engine_options& o) { o.hashed_slots = SIZE_MAX; }},
      {"reserve = 4294967295: ", [](engine_options& o) { o.reserve = UINT32_MAX; }},
      {"reserve = 18446744073709551615: ", [](engine_options& o) { o.reserve = SIZE_MAX; }},
      {"cpu = -1: ", [](engine_options& o) { o.cpu = -1; }},
      {"cpu = 100000: ", [](engine_options& o) { o.cpu = 100'000; }},
      {"cpu = ", [](engine_options& o) { o.cpu = drive::configured_cpus(); }},
      {"realtime_priority = 0: ", [](engine_options& o) { o.realtime_priority = 0; }},
      {"realtime_priority = 100: ", [](engine_options& o) { o.realtime_priority = 100; }},
      {"cpu = 0: ", [](engine_options& o) { o.cpu = 0, o.drive = drive_kind::caller; }},
      {"realtime_priority = 5: ", [](engine_options& o) { o.realtime_priority = 5, o.drive = drive_kind::caller; }},
      {"cpu_latency_limit = -1 ns: ", [](engine_options& o) { o.cpu_latency_limit = duration(-1); }},
      {"cpu_latency_limit = 1000000001 ns: ", [](engine_options& o) { o.cpu_latency_limit = duration(1'000'000'001); }},
      {"cpu_latency_limit = 5 ns: ",
       [](engine_options& o) { o.cpu_latency_limit = duration(5), o.drive = drive_kind::caller; }},
      {"memory.source = 2: ", [](engine_options& o) { o.memory.source = beyond(memory_source::jemalloc); }},
      {"memory.huge_pages = 3: ", [](engine_options& o) { o.memory.huge_pages = beyond(preference::require); }},
      {"memory.prefault = 3: ", [](engine_options& o) { o.memory.prefault = beyond(preference::require); }},
      {"memory.lock = 3: ", [](engine_options& o) { o.memory.lock = beyond(preference::require); }},
      {"memory.numa_node = -1: ", [](engine_options& o) { o.memory.numa_node = -1; }},
      {"executors[0] = null: ", [](engine_options& o) { o.executors.resize(1); }},
      {"executors.size() = 63: ", [](engine_options& o) { o.executors.resize(63); }},
      {"memory.give_back_after = -1 ns: ",
       [](engine_options& o) { o.memory.give_back_after = std::chrono::nanoseconds(-1); }},
      {"memory.give_back_after = 5 ns: ", [](engine_options& o) {
         o.memory.give_back_after = std::chrono::nanoseconds(5);
         o.memory.lock = preference::attempt;
       }}};
  for (auto& each : cases) {
    std::string reported = settled(each.make);
    EXPECT_EQ(reported.substr(0, std::string(each.begins).size()), each.begins) << "in full: " << reported;
    EXPECT_GT(reported.size(), std::string(each.begins).size()) << "it must say why";
  }
}

TEST(OptionsCheck, AcceptsEveryOptionAtItsLimits) {
  const std::vector<change> fine{[](engine_options& o) { o.tick = duration::max(); },
                                 [](engine_options& o) { o.hashed_slots = 1; },
                                 [](engine_options& o) { o.hashed_slots = 1U << 24; },
                                 [](engine_options& o) { o.reserve = 0; },
                                 [](engine_options& o) { o.reserve = 0xffff0000; },
                                 [](engine_options& o) { o.wake_budget = o.slow_threshold = duration(1); },
                                 [](engine_options& o) { o.max_pending = SIZE_MAX; },
                                 [](engine_options& o) { o.wait = wait_options::hybrid(duration(0)); },
                                 [](engine_options& o) { o.wait = wait_options::busy(); },
                                 [](engine_options& o) { o.cpu = 0; },
                                 [](engine_options& o) { o.realtime_priority = 1; },
                                 [](engine_options& o) { o.realtime_priority = 99; },
                                 [](engine_options& o) { o.cpu_latency_limit = duration(0); },
                                 [](engine_options& o) { o.cpu_latency_limit = std::chrono::seconds(1); },
                                 [](engine_options& o) { o.memory.numa_node = 0; }};
  for (auto& each : fine) EXPECT_EQ(settled(each), "");
}

TEST(OptionsCheck, TakesTheTscOnlyWhereItIsInvariantAndTimeIsReal) {
  manual_clock time;
  std::string real = settled([](engine_options& o) { o.clock = clock_kind::tsc; });
  std::string manual = settled([&](engine_options& o) { o.clock = clock_kind::tsc, o.manual = &time; });
  EXPECT_EQ(real.empty(), tsc_clock::shared() != nullptr);
  EXPECT_EQ(manual.substr(0, 12), "clock = tsc:");
}

TEST(OptionsCheck, RefusesAPlaceOutsideOfItsSet) {
  EXPECT_EQ(settled([](engine_options& o) { o.shard = {.set = 1, .index = 1, .shards = 2}; }), "");
  EXPECT_EQ(settled([](engine_options& o) { o.shard = {.set = 1, .index = 2, .shards = 2}; }),
            "shard.index = 2: must be less than shard.shards, 2");
}

TEST(OptionsCheck, RefusesFilesThatCannotBeMeant) {
  EXPECT_EQ(settled([](engine_options& o) { o.counters_file = std::string("a\0b", 3); }),
            "counters_file = \"a\": a file's name has no NUL in it");
  EXPECT_EQ(settled([](engine_options& o) { o.instance = std::string(63, 'x'); }), "");
  EXPECT_EQ(settled([](engine_options& o) { o.instance = std::string(64, 'x'); }),
            "instance = \"" + std::string(64, 'x') +
                "\": has 64 bytes, and at most 63 fit into the counters_file; shorten it");
  EXPECT_EQ(settled([](engine_options& o) { o.instance = std::string("a\0b", 3); }),
            "instance = \"a\": must not contain a NUL: its readers would see only what stands before that");
  EXPECT_EQ(settled([](engine_options& o) { o.counters_file = o.record = "one"; }),
            "record = \"one\": is the counters_file as well; name two files");
  EXPECT_EQ(settled([](engine_options& o) { o.counters_file = "auto", o.record = "auto.csv"; }), "");
}

}  // namespace
}  // namespace detent::detail
