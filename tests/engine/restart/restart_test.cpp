// SPDX-License-Identifier: MIT
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using EngineRestart = drive::in_virtual_time;

TEST_F(EngineRestart, FiresAtALaterDeadlineAndNotAtTheOldOne) {
  timer t = engine_.schedule_at(at(10), rig_.note(1));
  rig_.poll_at(at(5));
  EXPECT_TRUE(t.restart_at(at(20)));
  EXPECT_EQ(rig_.poll_at(at(19)), 0u);
  EXPECT_EQ(rig_.poll_at(at(20)), 1u);
}

TEST_F(EngineRestart, FiresAtAnEarlierDeadlineAndNotAtTheOldOne) {
  timer t = engine_.schedule_at(at(1'000'000), rig_.note(1));
  rig_.poll_at(at(5));
  EXPECT_TRUE(t.restart_at(at(20)));
  EXPECT_EQ(rig_.poll_at(at(19)), 0u);
  EXPECT_EQ(rig_.poll_at(at(20)), 1u);
  EXPECT_EQ(rig_.poll_at(at(2'000'000)), 0u);
}

TEST_F(EngineRestart, IsCountedOnlyWhenItHadAnEffect) {
  timer t = engine_.schedule_at(at(10), rig_.note(1));
  t.restart_at(at(20));
  t.restart_at(at(5));
  rig_.poll_at(at(5));
  t.restart_at(at(50));
  EXPECT_EQ(engine_.metrics().restarted, 2u);
}

TEST(EngineRestartRaces, IsRefusedWhileAWorkerRunsTheCallback) {
  engine worker;
  std::atomic<bool> started{false}, go_on{false};
  timer t = worker.schedule_after(0ns, [&] {
    started = true;
    while (!go_on) std::this_thread::yield();
  });
  ASSERT_TRUE(eventually([&] { return started.load(); }));
  EXPECT_FALSE(t.restart_after(1ms));
  go_on = true;
  ASSERT_TRUE(eventually([&] { return worker.metrics().expired == 1; }));
  EXPECT_EQ(worker.metrics().fired, 1u);
}

// A thread that restarts with success may rely on it: it fires at the last deadline that was accepted, and only once.
TEST(EngineRestartRaces, FiresOnceAtTheLastDeadlineThatWasAccepted) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  engine worker;
  constexpr int timers_each = 300;
  std::atomic<int> wrong{0}, runs{0};
  auto producer = [&](std::uint64_t own_seed) {
    std::mt19937_64 random(own_seed);
    for (int i = 0; i < timers_each; ++i) {
      auto ran_at = std::make_shared<std::atomic<std::int64_t>>(-1);
      time_point accepted = clock::now() + duration(random() % 100'000);
      timer t = worker.schedule_at(accepted, [&, ran_at](firing& f) {
        wrong += ran_at->exchange(f.deadline().time_since_epoch().count()) != -1 ? 1 : 0;
        runs.fetch_add(1);
      });
      for (;;) {
        const time_point wanted = clock::now() + duration(static_cast<std::int64_t>(random() % 60'000) - 2'000);
        if (!t.restart_at(wanted)) break;
        accepted = wanted;
      }
      if (!eventually([&] { return ran_at->load() != -1; })) ++wrong;
      wrong += ran_at->load() != accepted.time_since_epoch().count() ? 1 : 0;
    }
  };
  std::thread other(producer, seed + 1);
  producer(seed);
  other.join();
  worker.stop();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(runs.load(), 2 * timers_each);
}

}  // namespace
}  // namespace detent
