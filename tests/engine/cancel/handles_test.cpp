// SPDX-License-Identifier: MIT
// The answers of a handle besides cancel and restart, and the calls of its owner.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <type_traits>
#include <unordered_map>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::eventually;

TEST(HandleDeadline, FollowsEachArming) {
  drive::virtual_engine v({.tick = 10ns}, at(5s));
  timer once = v.engine.schedule_at(at(6s) + 1ns, [] {});
  EXPECT_EQ(once.deadline(), at(6s) + 10ns);  // rounded, as the engine has it
  EXPECT_EQ(once.remaining(), 1s + 10ns);
  EXPECT_TRUE(once.restart_at(at(9s)));
  EXPECT_EQ(once.deadline(), at(9s));
  v.engine.poll();
  EXPECT_TRUE(once.restart_at(at(7s)));
  EXPECT_EQ(once.deadline(), at(7s));
  v.clock.advance_to(at(8s));
  EXPECT_EQ(once.remaining(), -1s);  // overdue, as nobody has polled
  v.engine.poll();
  EXPECT_EQ(once.deadline(), std::nullopt);
  EXPECT_EQ(once.remaining(), std::nullopt);
  EXPECT_EQ(timer().deadline(), std::nullopt);
}

TEST(ScopedTimer, IsMadeFromAScheduleCallAndDoesWhatATimerDoes) {
  drive::virtual_engine v;
  scoped_timer idle = v.engine.schedule_after(30s, v.note(1));
  EXPECT_TRUE(idle && idle.pending());
  EXPECT_TRUE(idle.restart_after(60s));
  EXPECT_EQ(idle.deadline(), at(60s));
  EXPECT_TRUE(idle.restart_at(at(5s)));
  EXPECT_EQ(idle.remaining(), 5s);
  idle = v.engine.schedule_after(7s, v.note(2));  // the one before is cancelled
  v.clock.run_for(10s, v.engine);
  EXPECT_EQ(v.fired, drive::ids{2});
  EXPECT_EQ(idle.cancel(), cancel_result::gone);
  EXPECT_FALSE(scoped_timer());
}

// A handle that has a name is not owned by accident, as by a call of a function that takes a scoped_timer.
static_assert(std::is_convertible_v<timer&&, scoped_timer> && !std::is_convertible_v<const timer&, scoped_timer>);
static_assert(std::is_constructible_v<scoped_timer, const timer&>);

TEST(ScopedTimer, AnswersWhenItsEngineHasEnded) {
  scoped_timer left;
  {
    engine short_lived;
    left = short_lived.schedule_after(1h, [] {});
  }
  engine another;
  timer innocent = another.schedule_after(1h, [] {});
  EXPECT_EQ(left.cancel(), cancel_result::gone);
  EXPECT_EQ(left.cancel_and_wait(), cancel_result::gone);
  EXPECT_FALSE(left.restart_after(1s) || left.restart_at(at(1s)) || left.pending());
  EXPECT_EQ(left.deadline(), std::nullopt);
  EXPECT_EQ(left.remaining(), std::nullopt);
  EXPECT_TRUE(left);
  EXPECT_TRUE(innocent.pending());
}

TEST(RefusedHandle, HasTheReason) {
  drive::virtual_engine v({.max_pending = 1});
  timer first = v.engine.try_schedule_after(1h, [] {});
  EXPECT_FALSE(first.error());
  timer full = v.engine.try_schedule_after(1h, [] {});
  EXPECT_EQ(full.error(), errc::capacity_exceeded);
  EXPECT_EQ(v.engine.try_schedule_at_fixed_rate(1s, 0s, [] {}).error(), errc::invalid_period);
  EXPECT_EQ(v.engine.try_schedule_after(1h, [] {}, {.lane = 9}).error(), errc::invalid_option);
  v.engine.stop();
  timer late = v.engine.try_schedule_after(1h, [] {});
  EXPECT_EQ(late.error(), errc::stopped);
  EXPECT_FALSE(timer().error());
  // It is no handle, like all that are none.
  EXPECT_FALSE(full || full.pending() || full.restart_after(1s));
  EXPECT_EQ(full.cancel(), cancel_result::gone);
  EXPECT_EQ(full, timer());
  EXPECT_EQ(full, late);
  EXPECT_EQ(std::hash<timer>()(full), std::hash<timer>()(timer()));
  EXPECT_EQ(full <=> late, std::strong_ordering::equal);
}

TEST(DrainFor, LetsWhatIsPendingFire) {
  engine e;
  std::atomic<int> runs{0};
  for (int i = 0; i < 20; ++i) e.schedule_after(i * 1ms, [&] { ++runs; });
  EXPECT_TRUE(e.drain_for(1h).empty());
  EXPECT_EQ(runs, 20);
  EXPECT_EQ(e.try_schedule_after(1s, [] {}).error(), errc::stopped);
}

TEST(DrainFor, ReturnsWhatHadNoTime) {
  std::atomic<bool> ran{false};
  engine e;
  e.schedule_after(0s, [&] { ran = true; });
  timer far = e.schedule_after(1h, [] {});
  ASSERT_TRUE(eventually([&] { return ran.load(); }));
  const std::vector<unfired_timer> left = e.drain_for(20ms);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].handle, far);
  EXPECT_TRUE(e.drain_for(1h).empty());  // it has stopped: nothing to wait for
}

TEST(DrainFor, IsRefusedWhereItWouldWaitForItself) {
  engine e;
  std::atomic<int> code{0};
  e.schedule_after(0s, [&] {
    try {
      e.drain_for(1h);
    } catch (const error& refused) {
      code = refused.code().value();
    }
  });
  EXPECT_TRUE(eventually([&] { return code == static_cast<int>(errc::called_from_callback); }));
  drive::virtual_engine v;
  try {
    v.engine.drain_for(1h);
    ADD_FAILURE();
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::wrong_drive);
  }
}

}  // namespace
}  // namespace detent
