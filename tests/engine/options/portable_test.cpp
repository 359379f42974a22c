// SPDX-License-Identifier: MIT
// Each option that docs/portability.md calls refused is refused by name on the portable ground, and each that it calls
// harmless is.
#include <detent/detent.hpp>
#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;

// It is refused because of the ground, in a sentence that names the option and its value.
void expect_refused(const drive::problem& came, const std::string& option) {
  EXPECT_EQ(came.code, errc::invalid_option) << option << ": " << came.what;
  EXPECT_TRUE(came.names(option)) << came.what;
  EXPECT_TRUE(came.names("portable ground")) << came.what;
  EXPECT_TRUE(came.names("docs/portability.md")) << came.what;
}

void expect_refused(engine_options options, const std::string& option) {
  expect_refused(problem_of([&] { engine e(std::move(options)); }), option);
}

TEST(PortableGround, RefusesWhatIsAskedOfAWorkersThread) {
  expect_refused({.cpu = 0}, "cpu = 0");
  expect_refused({.realtime_priority = 7}, "realtime_priority = 7");
  expect_refused({.cpu_latency_limit = 20us}, "cpu_latency_limit = 20000 ns");
}

TEST(PortableGround, RefusesWhatIsAskedOfMemory) {
  expect_refused({.memory = {.huge_pages = preference::require}}, "memory.huge_pages = require");
  expect_refused({.memory = {.lock = preference::require}}, "memory.lock = require");
  expect_refused({.memory = {.numa_node = 0}}, "memory.numa_node = 0");
  expect_refused({.memory = {.give_back_after = 1s}}, "memory.give_back_after = 1000000000 ns");
  expect_refused({.memory = {.source = memory_source::jemalloc}}, "memory.source = jemalloc");
}

TEST(PortableGround, ChangesNothingForWhatIsOnlyAttempted) {
  drive::virtual_engine rig(
      {.memory = {.huge_pages = preference::attempt, .prefault = preference::require, .lock = preference::attempt}});
  int ran = 0;
  rig.engine.schedule_after(1ms, [&] { ++ran; });
  rig.clock.advance(1ms);
  EXPECT_EQ(rig.engine.poll(), 1u);
  EXPECT_EQ(ran, 1);
}

TEST(PortableGround, RefusesFiles) {
  expect_refused({.counters_file = "auto"}, "counters_file = \"auto\"");
  expect_refused({.counters_file = "a/b"}, "counters_file = \"a/b\"");
  expect_refused({.record = "trace"}, "record = \"trace\"");
}

TEST(PortableGround, RefusesCpusOfPoolsAndSets) {
  expect_refused(problem_of([] { thread_pool pool({.threads = 1, .cpus = {0}}); }), "cpu");
  expect_refused(problem_of([] { sharded_engine set({.shards = 1, .cpus = {0}}); }), "cpu");
  expect_refused(problem_of([] { sharded_engine set({.shards = 1, .cpus = {0}, .node_local = true}); }), "node_local");
}

TEST(PortableGround, HasNoWakeFdAndTellsWhenToPollInstead) {
  engine e({.drive = drive_kind::caller});
  const drive::problem refused = problem_of([&] { e.wake_fd(); });
  EXPECT_EQ(refused.code, errc::invalid_option) << refused.what;
  EXPECT_TRUE(refused.names("wake_fd")) << refused.what;
  bool ran = false;
  e.schedule_after(1ms, [&] { ran = true; });
  while (!ran) {
    if (const auto next = e.next_deadline()) std::this_thread::sleep_until(*next);
    e.poll();
  }
}

TEST(PortableGround, HasNoNumbersOfThreads) {
  engine e;
  EXPECT_EQ(e.worker_thread_id(), 0);
  e.stop();
  EXPECT_EQ(e.worker_thread_id(), 0);
}

TEST(PortableGround, TakesTheSteadyClockUnlessItIsAskedForTheTsc) {
  engine e({.drive = drive_kind::caller});
  EXPECT_STREQ(e.metrics().clock.name, "steady");
}

TEST(PortableGround, GivesAThreadTheSameShardEachTime) {
  sharded_engine set({.shards = 4});
  const engine* const mine = &set.local();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(&set.local(), mine);
}

}  // namespace
}  // namespace detent
