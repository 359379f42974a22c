// SPDX-License-Identifier: MIT
// Slack: a timer may fire so much later, never earlier, and a sleeping worker wakes once for many.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_instant.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::eventually;

using EngineSlack = drive::in_virtual_time;

// Polled wherever next_deadline() says, as a worker would be.
TEST_F(EngineSlack, IsNeverEarlyAndNeverExceeded) {
  test::random_source random(11);
  for (duration tick : {1ns, 10ns, 1000ns, 999'983ns}) {
    drive::virtual_engine rig({.tick = tick});
    std::size_t fired = 0;
    constexpr std::size_t count = 1000;
    for (std::size_t i = 0; i < count; ++i) {
      const duration asked(random.between<std::int64_t>(1, 100'000'000)), slack(random.any_magnitude(24));
      rig.engine.schedule_at(at(asked),
                             [&, asked, slack](firing& f) {
                               ++fired;
                               EXPECT_GE(f.deadline(), at(asked));
                               EXPECT_GE(f.started(), f.deadline());
                               EXPECT_LE(f.started(), f.deadline() + slack) << f.deadline().time_since_epoch().count();
                             },
                             {.slack = slack});
    }
    while (auto next = rig.engine.next_deadline()) rig.poll_at(*next);
    EXPECT_EQ(fired, count);
  }
}

TEST_F(EngineSlack, BringsManyTogether) {
  for (int i = 0; i < 1000; ++i) engine_.schedule_at(at(10'000 + i * 100), [] {}, {.slack = 5000ns});
  int polls = 0;
  for (; auto next = engine_.next_deadline(); ++polls) rig_.poll_at(*next);
  EXPECT_LE(polls, 50);
  EXPECT_EQ(engine_.metrics().fired, 1000u);
}

// On real clocks.

TEST(EngineSlackOnAWorker, WakesOnceForMany) {
  constexpr int count = 10'000;
  std::atomic<int> fired{0}, early{0};
  engine e({.wait = wait_options::sleep()});
  const time_point base = clock::now() + 100ms;
  for (int i = 0; i < count; ++i) {
    e.schedule_at(base + i * 10us,
                  [&](firing& f) {
                    if (f.started() < f.deadline()) ++early;
                    ++fired;
                  },
                  {.slack = 5ms});
  }
  ASSERT_TRUE(testing::settle(e));
  const std::uint64_t before = e.metrics().wakeups;
  ASSERT_TRUE(eventually([&] { return fired == count; }));
  EXPECT_LE(e.metrics().wakeups - before, 40u);
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace detent
