// SPDX-License-Identifier: MIT
// A timer between its hand-over to an executor and its run.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"
#include "support/meeting.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::holding_executor;

class EngineFiredTimer : public ::testing::Test {
 protected:
  // Takes the timer that was handed over last.
  fired_timer take() {
    fired_timer last = std::move(holds_->held.back());
    holds_->held.pop_back();
    return last;
  }

  std::shared_ptr<holding_executor> holds_ = std::make_shared<holding_executor>();
  drive::virtual_engine rig_{{.executor = holds_}};
  engine& engine_ = rig_.engine;
  ids& fired_ = rig_.fired;
};

TEST_F(EngineFiredTimer, RunsOnceHoweverOftenItIsCalled) {
  engine_.schedule_at(at(10), rig_.note(1));
  rig_.poll_at(at(10));
  fired_timer work = take();
  work();
  work();
  EXPECT_EQ(fired_, ids{1});
}

TEST_F(EngineFiredTimer, DoesNothingOnceMovedFrom) {
  engine_.schedule_at(at(10), rig_.note(1));
  rig_.poll_at(at(10));
  fired_timer work = take();
  {
    fired_timer other = std::move(work);
    work();
    EXPECT_EQ(fired_, ids{});
    other();
  }
  EXPECT_EQ(fired_, ids{1});
}

TEST_F(EngineFiredTimer, DropsWhatAnAssignmentReplaces) {
  engine_.schedule_at(at(10), rig_.note(1));
  engine_.schedule_at(at(11), rig_.note(2));
  rig_.poll_at(at(11));
  fired_timer second = take(), first = take();
  first = std::move(second);
  EXPECT_EQ(engine_.metrics().dropped, 1u);
  first();
  EXPECT_EQ(fired_, ids{2});
}

TEST_F(EngineFiredTimer, GivesItsPlaceBackIfItIsDropped) {
  auto holds = std::make_shared<holding_executor>();
  drive::virtual_engine rig({.max_pending = 1, .executor = holds});
  rig.engine.schedule_at(at(10), [] {});
  rig.poll_at(at(10));
  EXPECT_FALSE(rig.engine.try_schedule_at(at(20), [] {}));
  holds->held.clear();
  EXPECT_TRUE(rig.engine.try_schedule_at(at(20), [] {}));
}

TEST_F(EngineFiredTimer, CannotRunALaterHandOverOfTheSameTimer) {
  timer t = engine_.schedule_at(at(10), rig_.note(1));
  EXPECT_TRUE(t.restart_at(at(10)));  // so that the hand-overs differ in nothing but the count
  rig_.poll_at(at(10));
  fired_timer old = take();
  EXPECT_TRUE(t.restart_at(at(10)));
  engine_.poll();
  old();
  EXPECT_EQ(fired_, ids{});
  take()();
  EXPECT_EQ(fired_, ids{1});
}

TEST_F(EngineFiredTimer, IsReturnedByStopAndDoesNothingAfterwards) {
  engine_.schedule_at(at(10), rig_.note(1));
  rig_.poll_at(at(10));
  std::vector<unfired_timer> left = engine_.stop();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].deadline, at(10));
  take()();
  EXPECT_EQ(fired_, ids{});
  left[0].run();
  EXPECT_EQ(fired_, ids{1});
  EXPECT_EQ(engine_.metrics().returned, 1u);
}

// Two threads meet at one timer that waits to run; `other` returns whether its call won.
template <class Other>
void meet(int rounds, Other&& other) {
  auto holds = std::make_shared<holding_executor>();
  drive::virtual_engine rig({.executor = holds});
  for (int round = 0; round < rounds; ++round) {
    int runs = 0;
    timer t = rig.engine.schedule_at(rig.engine.now(), [&] { ++runs; });
    rig.engine.poll();
    test::meeting start(2);
    std::thread caller([&] {
      start.arrive_and_wait();
      holds->run_all();
    });
    start.arrive_and_wait();
    const bool won = other(t);
    caller.join();
    ASSERT_EQ(runs, won ? 0 : 1);
    t.cancel();
    rig.engine.poll();
  }
}

TEST(EngineFiredTimerRaces, EitherRunsOrIsCancelled) {
  meet(200, [](timer& t) { return t.cancel() == cancel_result::cancelled; });
}

TEST(EngineFiredTimerRaces, EitherRunsOrIsRestarted) {
  meet(200, [](timer& t) { return t.restart_after(1h); });
}

}  // namespace
}  // namespace detent
