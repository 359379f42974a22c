// SPDX-License-Identifier: MIT
// Critical timers that come due without end: the driver still does what others ask for.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

#include "support/engine_eventually.hpp"
#include "support/platform/asleep.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

constexpr timer_options critical{.lane = 3};

// One of them is always due: each re-arms itself without delay, or schedules the next so.
class EngineLanesFlood : public ::testing::TestWithParam<bool> {
 protected:
  void begin(int timers = 1) {
    for (int i = 0; i != timers; ++i) step();
    ASSERT_TRUE(eventually([this] { return runs_ > 1000; }));
  }

 private:
  void step() {
    owned.schedule_after(
        0ns,
        [this](firing& run) {
          ++runs_;
          GetParam() ? run.rearm_after(0ns) : step();
        },
        critical);
  }
  std::atomic<std::uint64_t> runs_{0};

 public:
  engine owned;  // goes before what its callbacks use
};

INSTANTIATE_TEST_SUITE_P(Ways, EngineLanesFlood, ::testing::Bool(),
                         [](const auto& tested) -> std::string { return tested.param ? "rearmed" : "scheduled"; });

TEST_P(EngineLanesFlood, LetsAGroupBeCancelled) {
  timer_group group(owned);
  group.schedule_after(1h, [] {});
  begin();
  group.cancel_all();
  EXPECT_TRUE(eventually([&] { return group.pending() == 0; }));
}

// While one of them runs, another one waits that is due already.
TEST_P(EngineLanesFlood, OfSeveralTimersLetsAGroupBeCancelled) {
  timer_group group(owned);
  group.schedule_after(1h, [] {});
  begin(3);
  group.cancel_all();
  EXPECT_TRUE(eventually([&] { return group.pending() == 0; }));
}

// It is accepted when all that was submitted before it has been.
TEST_P(EngineLanesFlood, LetsAnotherThreadsCriticalTimerFire) {
  begin();
  std::atomic<bool> ran{false};
  for (int i = 0; i < 10'000; ++i) owned.schedule_after(1h, [] {});
  owned.schedule_after(
      0ns, [&] { ran = true; }, critical);
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
  owned.stop();  // before `ran` goes
}

// Only the bell interrupts the worker, in the middle of a pass that it does not know to be one of many.
TEST(EngineLanesPass, IsInterruptedByWhatAnotherThreadSchedulesMeanwhile) {
  engine owned({.name = "sleeps", .wait = wait_options::sleep()});
  owned.schedule_after(1h, [] {});  // whatever comes before rings
  EXPECT_TRUE(drive::thread_sleeps("sleeps"));
  std::atomic<int> begun{0}, may_end{0}, begun_before{0};
  const std::array<time_point, 2> both{clock::now(), clock::now()};
  std::array<timer, 2> handles;
  auto waits = [&](std::size_t) {
    const int turn = ++begun;
    while (may_end < turn) std::this_thread::yield();
  };
  ASSERT_EQ(owned.schedule_at_bulk(both, waits, handles), both.size());
  ASSERT_TRUE(eventually([&] { return begun == 1; }));
  owned.schedule_after(
      0ns, [&] { begun_before = begun.load(); }, critical);
  may_end = 2;
  EXPECT_TRUE(eventually([&] { return begun_before != 0; }));
  EXPECT_EQ(begun_before, 1);
  owned.stop();
}

}  // namespace
}  // namespace detent
