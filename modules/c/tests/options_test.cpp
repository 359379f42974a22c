// SPDX-License-Identifier: MIT
// Each option of a C program reaches the engine, tested one by one.
#include "options.hpp"

#include <detent/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/platform/process.hpp"

namespace detent::c {
namespace {

engine_options with(void (*change)(detent_options&)) {
  detent_options options;
  detent_options_init(&options);
  change(options);
  return translate(options);
}

TEST(COptions, AreByDefaultThoseOfTheEngine) {
  const engine_options reported = with([](detent_options&) {}), defaults;
  EXPECT_EQ(reported.tick, defaults.tick);
  EXPECT_EQ(reported.wheel, defaults.wheel);
  EXPECT_EQ(reported.hashed_slots, defaults.hashed_slots);
  EXPECT_EQ(reported.wait.mode, defaults.wait.mode);
  EXPECT_EQ(reported.wait.max_spin, defaults.wait.max_spin);
  EXPECT_EQ(reported.drive, defaults.drive);
  EXPECT_EQ(reported.clock, defaults.clock);
  EXPECT_EQ(reported.cpu, defaults.cpu);
  EXPECT_EQ(reported.realtime_priority, defaults.realtime_priority);
  EXPECT_EQ(reported.cpu_latency_limit, defaults.cpu_latency_limit);
  EXPECT_EQ(reported.wait.light_spin, defaults.wait.light_spin);
  EXPECT_EQ(reported.max_pending, defaults.max_pending);
  EXPECT_EQ(reported.reserve, defaults.reserve);
  EXPECT_EQ(reported.memory.source, defaults.memory.source);
  EXPECT_EQ(reported.memory.huge_pages, defaults.memory.huge_pages);
  EXPECT_EQ(reported.memory.prefault, defaults.memory.prefault);
  EXPECT_EQ(reported.memory.lock, defaults.memory.lock);
  EXPECT_EQ(reported.memory.numa_node, defaults.memory.numa_node);
  EXPECT_EQ(reported.on_refusal, defaults.on_refusal);
  EXPECT_EQ(reported.name, defaults.name);
  EXPECT_EQ(reported.executor, nullptr);
}

TEST(COptions, AreEachTheEnginesOwn) {
  EXPECT_EQ(with([](detent_options& o) { o.tick_ns = 7; }).tick, duration(7));
  EXPECT_EQ(with([](detent_options& o) { o.wheel = DETENT_WHEEL_HASHED; }).wheel, wheel_kind::hashed);
  EXPECT_EQ(with([](detent_options& o) { o.hashed_slots = 64; }).hashed_slots, 64u);
  EXPECT_EQ(with([](detent_options& o) { o.drive = DETENT_DRIVE_CALLER; }).drive, drive_kind::caller);
  EXPECT_EQ(with([](detent_options& o) { o.clock = DETENT_CLOCK_TSC; }).clock, clock_kind::tsc);
  EXPECT_EQ(with([](detent_options& o) { o.clock = DETENT_CLOCK_STEADY; }).clock, clock_kind::steady);
  EXPECT_EQ(with([](detent_options& o) { o.cpu = 0; }).cpu, 0);
  EXPECT_EQ(with([](detent_options& o) { o.realtime_priority = 9; }).realtime_priority, 9);
  EXPECT_EQ(with([](detent_options& o) { o.cpu_latency_limit_ns = 2000; }).cpu_latency_limit, duration(2000));
  EXPECT_EQ(with([](detent_options& o) { o.max_pending = 5; }).max_pending, 5u);
  EXPECT_EQ(with([](detent_options& o) { o.reserve = 6; }).reserve, 6u);
  EXPECT_EQ(with([](detent_options& o) { o.numa_node = 0; }).memory.numa_node, 0);
  EXPECT_EQ(with([](detent_options& o) { o.on_refusal = DETENT_REFUSED_DROP; }).on_refusal, refusal_policy::drop);
  EXPECT_EQ(with([](detent_options& o) { o.name = "mine"; }).name, "mine");
}

TEST(COptions, OfAPoolNameItsThreads) {
  const engine_options pooled = with([](detent_options& o) { o.pool_threads = 1, o.name = "mine"; });
  ASSERT_NE(pooled.executor, nullptr);
  EXPECT_TRUE(drive::eventually([] { return drive::thread_folder("mine-pool").has_value(); }));
}

TEST(COptions, OfAPoolAreRefusedWhereTheyAreTooMany) {
  for (const int keyed : {0, 1}) {
    detent_options options;
    detent_options_init(&options);
    options.pool_threads = SIZE_MAX;
    options.pool_keyed = keyed;
    const drive::problem refused = drive::problem_of([&] { static_cast<void>(translate(options)); });
    EXPECT_EQ(refused.code, errc::invalid_option);
    EXPECT_TRUE(refused.names("threads = 18446744073709551615: must be 1 to 65536")) << refused.what;
  }
}

TEST(COptions, OfAPoolByKey) {
  const engine_options keyed = with([](detent_options& o) { o.pool_threads = 2, o.pool_keyed = 1; });
  ASSERT_NE(keyed.executor, nullptr);
  EXPECT_TRUE(keyed.executor->keeps_order());
  EXPECT_THROW(with([](detent_options& o) { o.pool_keyed = 1; }), error);
}

TEST(CPool, KeepsCallbacksOfOneTagApartWhereItIsKeyed) {
  struct key {
    std::atomic<int> inside{0}, overlaps{0}, runs{0};
  };
  constexpr int each = 50;
  std::array<key, 2> keys;
  detent_options options;
  detent_options_init(&options);
  options.pool_threads = 3;
  options.pool_keyed = 1;
  detent_engine* const engine = detent_engine_create(&options, nullptr, 0);
  ASSERT_NE(engine, nullptr);
  const auto run = [](void* context) {
    key& mine = *static_cast<key*>(context);
    mine.overlaps += mine.inside.exchange(1);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    mine.inside = 0;
    ++mine.runs;
  };
  for (int i = 0; i != each; ++i) {
    for (std::size_t tag = 0; tag != keys.size(); ++tag)
      EXPECT_NE(detent_schedule_after_tagged(engine, 0, run, &keys[tag], tag + 1), 0u);
  }
  EXPECT_TRUE(drive::eventually([&] { return keys[0].runs == each && keys[1].runs == each; }));
  detent_engine_destroy(engine);
  EXPECT_EQ(keys[0].overlaps, 0);
  EXPECT_EQ(keys[1].overlaps, 0);
}

TEST(COptions, OfWaiting) {
  EXPECT_EQ(with([](detent_options& o) { o.wait = DETENT_WAIT_BUSY; }).wait.mode, wait_options::kind::busy);
  EXPECT_EQ(with([](detent_options& o) { o.wait = DETENT_WAIT_SLEEP; }).wait.mode, wait_options::kind::sleep);
  const engine_options hybrid = with([](detent_options& o) { o.wait = DETENT_WAIT_HYBRID, o.max_spin_ns = 77; });
  EXPECT_EQ(hybrid.wait.mode, wait_options::kind::hybrid);
  EXPECT_EQ(hybrid.wait.max_spin, duration(77));
  EXPECT_TRUE(with([](detent_options& o) { o.light_spin = 1; }).wait.light_spin);
}

TEST(COptions, OfMemory) {
  const memory_options one = with([](detent_options& o) {
                               o.memory_source = DETENT_MEMORY_JEMALLOC;
                               o.huge_pages = DETENT_PREFERENCE_OFF;
                               o.prefault = DETENT_PREFERENCE_ATTEMPT;
                               o.lock_memory = DETENT_PREFERENCE_REQUIRE;
                             }).memory;
  EXPECT_EQ(one.source, memory_source::jemalloc);
  EXPECT_EQ(one.huge_pages, preference::off);
  EXPECT_EQ(one.prefault, preference::attempt);
  EXPECT_EQ(one.lock, preference::require);
}

}  // namespace
}  // namespace detent::c
