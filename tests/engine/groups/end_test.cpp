// SPDX-License-Identifier: MIT
// A group may end before, with or after its members and its engine; captures call back into all of them.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/group_engine.hpp"
#include "support/platform/mapped_clock.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::ids;
using testing::at_end;
using testing::census;
using testing::mapped_clock;

class TimerGroupEnd : public drive::groups_in_virtual_time {
 protected:
  std::optional<timer_group> group_{engine_};
};

TEST_F(TimerGroupEnd, InsideACaptureThatDiesInAPass) {
  census captures;
  group_->schedule_after(1ms, [&] { group_->cancel_all(); });
  for (int i = 0; i < 3; ++i) {
    group_->schedule_after(1ms, [here = captures.join(), last = at_end([&] {
                                                           if (group_) group_->cancel_all_and_wait();
                                                           group_.reset();
                                                         })] {});
  }
  poll_at_ms(1);
  poll_at_ms(1);
  EXPECT_FALSE(group_);
  EXPECT_EQ(captures.living(), 0);
  EXPECT_EQ(captures.ended(), 3);
  expect_balance(engine_);
}

TEST_F(TimerGroupEnd, InsideACaptureThatDiesInASweep) {
  std::optional<timer_group> other(engine_);
  timer_group& mine = *group_;
  census captures;
  for (int i = 0; i < 100; ++i) {
    mine.schedule_after(1h, [here = captures.join(), last = at_end([&] {
                                                       other.reset();
                                                       group_->cancel_all_and_wait();
                                                       group_->schedule_after(1h, [later = captures.join()] {});
                                                       group_->pause();
                                                       group_->resume();
                                                       engine_.schedule_after(1h, [] {});
                                                     })] {});
  }
  other->schedule_after(1h, [] {});
  poll_at_ms(0);
  mine.cancel_all();
  poll_at_ms(0);
  poll_at_ms(1);
  EXPECT_EQ(engine_.metrics().pending, 100u + group_->pending());
  EXPECT_EQ(captures.living(), static_cast<int>(group_->pending()));
  group_.reset();
  poll_at_ms(1);
  EXPECT_EQ(captures.living(), 0);
  expect_balance(engine_);
}

TEST_F(TimerGroupEnd, TheEngineMayEndInASweep) {
  manual_clock clk;
  auto e = std::make_unique<engine>(engine_options{.manual = &clk});
  timer_group group(*e);
  census captures;
  for (int i = 0; i < 50; ++i)
    group.schedule_after(1ms, [here = captures.join(), last = at_end([&] { e.reset(); })] {});
  e->poll();
  group.cancel_all();
  clk.advance(1ms);
  e->poll();
  EXPECT_EQ(e, nullptr);
  EXPECT_EQ(captures.living(), 0);
  EXPECT_FALSE(group.try_schedule_after(1ms, [] {}));
}

TEST_F(TimerGroupEnd, AfterItsEngine) {
  census captures;
  std::optional<timer_group> group;
  timer member;
  {
    drive::virtual_engine rig;
    group.emplace(rig.engine);
    member = group->schedule_after(1ms, [here = captures.join()] {});
    group->schedule_at_fixed_rate(1ms, 1ms, [here = captures.join()] {});
    group->pause();
  }
  EXPECT_EQ(captures.living(), 0);
  EXPECT_EQ(group->pending(), 0u);
  group->resume();
  group->pause();
  group->cancel_all_and_wait();
  EXPECT_FALSE(group->try_schedule_after(1ms, [] {}));
  group.reset();
}

// A group may outlive its engine, and the clock need outlive the engine only: reading it now would crash.
TEST_F(TimerGroupEnd, AfterItsEnginesClock) {
  mapped_clock clock;
  const engine_options with_a_clock{.manual = clock.get()};
  std::optional<timer_group> running, paused;
  {
    engine ends(with_a_clock);
    running.emplace(ends);
    paused.emplace(ends);
    paused->pause();
  }
  clock.end();
  running->pause();
  paused->resume();
  EXPECT_FALSE(running->try_schedule_after(1ms, [] {}));
}

TEST_F(TimerGroupEnd, MovesTakeTheMembersAlong) {
  timer_group other(engine_);
  other.schedule_after(1ms, rig_.note(9));
  group_->schedule_after(1ms, rig_.note(1));
  timer_group moved(std::move(*group_));
  group_.reset();
  other = std::move(moved);  // cancels its own
  timer_group& same = other;
  other = std::move(same);
  other.schedule_after(1ms, rig_.note(2));
  EXPECT_EQ(other.pending(), 2u);
  poll_at_ms(1);
  EXPECT_EQ(fired_, (ids{1, 2}));
}

TEST_F(TimerGroupEnd, AGroupInAnothersPlaceIsNotTouchedByOldHandles) {
  std::vector<timer> old;
  for (int i = 0; i < 3000; ++i) {
    timer_group group(engine_);
    timer member = group.schedule_after(1h, [] {});
    timer second = group.schedule_at_fixed_rate(1h, 1ms, [] {});
    if (i % 2 == 0) group.pause();
    if (i % 3 == 0) engine_.poll();
    if (i % 5 == 0) group.cancel_all();
    if (i % 7 == 0) member.cancel();
    old.push_back(member);
    old.push_back(second);
    for (std::size_t each = old.size() > 8 ? old.size() - 8 : 0; each + 2 < old.size(); ++each) {
      EXPECT_FALSE(old[each].pending());
      EXPECT_FALSE(old[each].restart_after(1ms));
      if (i % 2 == 0) old[each].cancel();
    }
    EXPECT_EQ(group.pending(), i % 7 == 0 ? 1u : 2u) << i;
    EXPECT_EQ(second.pending(), i % 5 != 0) << i;
  }
  engine_.poll();
  EXPECT_EQ(engine_.pending(), 0u);
  group_->schedule_after(1ms, rig_.note(1));
  poll_at_ms(1);
  EXPECT_EQ(fired_, ids{1});
  expect_balance(engine_);
}

}  // namespace
}  // namespace detent
