// SPDX-License-Identifier: MIT
// A run of a periodic timer that is dropped at its hand-over is missed, and the timer goes on.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::census;
using testing::eventually;
using testing::holding_executor;

class MissedRun : public ::testing::Test {
 protected:
  // Hands over what is due at that time and runs it, unless it is refused.
  void run_at(int ns) {
    rig_.poll_at(at(ns));
    holds_->run_all();
  }
  void refuse_at(int ns) {
    holds_->refuse = true;
    rig_.poll_at(at(ns));
    holds_->refuse = false;
  }
  // Logs the deadline of each run.
  auto note_deadline() {
    return [this](firing& run) { rig_.fired.push_back(static_cast<int>(run.deadline().time_since_epoch().count())); };
  }

  std::shared_ptr<holding_executor> holds_ = std::make_shared<holding_executor>();
  drive::virtual_engine rig_{{.executor = holds_, .on_refusal = refusal_policy::drop}};
  engine& engine_ = rig_.engine;
};

TEST_F(MissedRun, OfAFixedRateLeavesItsGridAsItWas) {
  const timer beat = engine_.schedule_at_fixed_rate(10ns, 10ns, note_deadline());
  run_at(10);
  refuse_at(20);
  EXPECT_TRUE(beat.pending());
  EXPECT_EQ(beat.deadline(), at(30));
  refuse_at(32);
  run_at(40);
  EXPECT_EQ(rig_.fired, (ids{10, 40}));
  const engine_metrics m = engine_.metrics();
  EXPECT_EQ(m.refused, 2u);
  EXPECT_EQ(m.missed, 2u);
  EXPECT_EQ(m.dropped, 0u);
  EXPECT_EQ(m.fired, 2u);
  EXPECT_EQ(m.pending, 1u);
  EXPECT_EQ(m.queued, 0u);
}

TEST_F(MissedRun, OfAFixedDelayIsFollowedAfterTheDelay) {
  engine_.schedule_with_fixed_delay(10ns, 10ns, note_deadline());
  refuse_at(14);
  run_at(23);
  EXPECT_EQ(rig_.fired, ids{});
  run_at(24);
  EXPECT_EQ(rig_.fired, ids{24});
  EXPECT_EQ(engine_.metrics().missed, 1u);
}

TEST_F(MissedRun, IsMissedWithThosePeriodsWhoseTimeHasPassed) {
  engine_.schedule_at_fixed_rate(10ns, 10ns, note_deadline());
  refuse_at(45);  // of 10, 20, 30 and 40
  EXPECT_EQ(engine_.metrics().missed, 4u);
  run_at(50);
  EXPECT_EQ(rig_.fired, ids{50});
}

TEST_F(MissedRun, IsNoneOfALimitedNumber) {
  const timer twice = engine_.schedule_at_fixed_rate(10ns, 10ns, note_deadline(), {.runs = 2});
  refuse_at(10);
  run_at(20);
  refuse_at(30);
  run_at(40);
  run_at(50);
  EXPECT_EQ(rig_.fired, (ids{20, 40}));
  EXPECT_FALSE(twice.pending());
  EXPECT_EQ(engine_.metrics().expired, 1u);
}

TEST_F(MissedRun, IsAlsoOneThatTheExecutorLetsGo) {
  census captures;
  timer beat = engine_.schedule_at_fixed_rate(
      10ns, 10ns, [here = captures.join(), note = note_deadline()](firing& run) { note(run); });
  rig_.poll_at(at(10));
  holds_->held.clear();
  EXPECT_TRUE(beat.pending());
  EXPECT_EQ(captures.living(), 1);
  run_at(20);
  EXPECT_EQ(rig_.fired, ids{20});
  EXPECT_EQ(engine_.metrics().missed, 1u);
  EXPECT_EQ(engine_.metrics().dropped, 0u);
  beat.cancel();
  EXPECT_EQ(captures.living(), 0);
}

TEST_F(MissedRun, CountsForItsLabelAndLeavesItsGroupPending) {
  const label beats = engine_.make_label("beats");
  timer_group group(engine_);
  group.schedule_at_fixed_rate(10ns, 10ns, note_deadline(), {.label = beats});
  refuse_at(10);
  EXPECT_EQ(group.pending(), 1u);
  EXPECT_EQ(engine_.metrics(beats).missed, 1u);
  EXPECT_EQ(engine_.metrics(beats).dropped, 0u);
  EXPECT_EQ(engine_.metrics(beats).pending, 1u);
  rig_.poll_at(at(12));
  group.pause();
  run_at(100);
  group.resume();  // its time was 12
  run_at(107);
  EXPECT_EQ(rig_.fired, ids{});
  run_at(108);
  EXPECT_EQ(rig_.fired, ids{108});
}

TEST_F(MissedRun, GoesOnNoMoreOnceItIsCancelled) {
  census captures;
  timer beat = engine_.schedule_at_fixed_rate(10ns, 10ns, [here = captures.join()] {});
  timer_group group(engine_);
  group.schedule_at_fixed_rate(10ns, 10ns, [here = captures.join()] {});
  rig_.poll_at(at(10));
  EXPECT_EQ(beat.cancel(), cancel_result::cancelled);
  group.cancel_all();
  holds_->held.clear();
  engine_.poll();
  EXPECT_EQ(captures.living(), 0);
  const engine_metrics m = engine_.metrics();
  EXPECT_EQ(m.cancelled, 2u);
  EXPECT_EQ(m.missed, 0u);
  EXPECT_EQ(m.pending, 0u);
}

TEST_F(MissedRun, IsNoReasonNotToReturnIt) {
  engine_.schedule_at_fixed_rate(10ns, 10ns, note_deadline());
  refuse_at(10);
  const std::vector<unfired> left = engine_.stop();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left.front().deadline, at(20));
}

// A pool with room for one, and an overload that is over soon.
TEST(MissedRunOnAPool, DoesNotEndTheHeartbeat) {
  std::atomic<int> beats{0};
  std::atomic<bool> release{false};
  engine e({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 1, .queue_capacity = 1}),
            .on_refusal = refusal_policy::drop});
  const timer beat = e.schedule_at_fixed_rate(0ns, 100us, [&] { ++beats; });
  ASSERT_TRUE(eventually([&] { return beats > 0; }));
  while (e.metrics().refused < 3) e.schedule_after(0ns, [&] { eventually([&] { return release.load(); }); });
  EXPECT_TRUE(eventually([&] { return e.metrics().missed > 3; }));
  release = true;
  const int before = beats;
  EXPECT_TRUE(eventually([&] { return beats > before + 3; }));
  EXPECT_TRUE(beat.pending());
}

}  // namespace
}  // namespace detent
