// SPDX-License-Identifier: MIT
// The stop of an engine in the middle of whatever else is done, and the other way round: each timer ends once.
#include <search/meetings/meeting.hpp>
#include <search/meetings/real.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace {

using namespace hooks;
using detent::cancel_result;
using detent::timer;

// So many were accepted and have not ended otherwise.
void expect_each_once(scene& in, std::vector<detent::unfired_timer>& left, std::size_t accepted) {
  EXPECT_EQ(left.size(), accepted);
  EXPECT_EQ(static_cast<std::size_t>(in.captures.living()), left.size());
  left.clear();
  in.expect_balance();
}

TEST(MeetingsStop, InTheMiddleReturnsRefusesOrHasLeftToOthersEachTimer) {
  auto trial = [](meeting& at) {
    scene in;
    std::vector<detent::unfired_timer> left;
    timer cancelled = in.engine.schedule_at(noon + 1ms, in.note());
    timer moved = in.engine.schedule_at(noon + 1ms, in.note());
    in.settle();
    timer queued = in.group->schedule_at(noon + 1ms, in.note());
    at.hold(in, [&] { left = in.engine.stop(); });
    const std::array<timer, 2> made{in.engine.try_schedule_at(noon + 1ms, in.note()),
                                    in.group->try_schedule_at(noon + 1ms, in.note())};
    const bool ended = cancelled.cancel() == cancel_result::cancelled;
    const bool restarted = moved.restart_at(noon + 2ms);
    at.go_on();
    for (const detent::unfired_timer& each : left)
      EXPECT_EQ(each.deadline, noon + (each.handle == moved && restarted ? 2ms : 1ms));
    expect_each_once(in, left, 2 + (ended ? 0u : 1u) + (made[0] ? 1u : 0u) + (made[1] ? 1u : 0u));
    EXPECT_FALSE(in.engine.try_schedule_at(noon + 1ms, in.note()));
    EXPECT_FALSE(queued.pending());
  };
  // Not before each of the loads, because it reads hundreds of free nodes.
  for (operation what : {operation::exchange, operation::store, operation::fence, operation::futex_wake})
    meet(1, trial, {.what = what});
}

TEST(MeetingsStop, ReturnsOrRefusesWhatIsJustBeingScheduled) {
  for (int kind = 0; kind != 4; ++kind) {
    meet(8, [kind](meeting& at) {
      scene in;
      timer made;
      at.hold(in, [&] {
        if (kind == 0) made = in.engine.try_schedule_after(1ms, [] {});
        if (kind == 1) made = in.engine.try_schedule_after(1ms, in.note());
        if (kind == 2) made = in.group->try_schedule_after(1ms, in.note());
        if (kind == 3) made = in.engine.try_schedule_at_fixed_rate(1ms, 1ms, in.note());
      });
      std::vector<detent::unfired_timer> left = in.engine.stop();
      at.go_on();
      EXPECT_EQ(left.size(), made ? 1u : 0u);
      EXPECT_FALSE(made.pending());
      left.clear();
      in.expect_balance();
      EXPECT_EQ(in.group->pending(), 0u);
    });
  }
}

TEST(MeetingsStop, BesideACancelOrARestartReturnsWhatIsLeft) {
  for (bool cancels : {false, true}) {
    for (bool filed : {false, true}) {
      meet(3, [cancels, filed](meeting& at) {
        scene in;
        timer subject = in.engine.schedule_at(noon + 2ms, in.note());
        if (filed) in.settle();
        bool done = false;
        at.hold(in, [&] {
          done = cancels ? subject.cancel() == cancel_result::cancelled : subject.restart_at(noon + 1ms);
        });
        std::vector<detent::unfired_timer> left = in.engine.stop();
        at.go_on();
        ASSERT_EQ(left.size(), cancels && done ? 0u : 1u);
        if (!cancels) {
          EXPECT_EQ(left[0].deadline, noon + (done ? 1ms : 2ms));
        }
        expect_each_once(in, left, left.size());
      });
    }
  }
}

// On the executor's thread a timer runs, re-arms itself, or is let go of.
TEST(MeetingsStop, ReturnsWhatWasHandedOverOrWaitsForIt) {
  for (bool again : {false, true}) {
    for (bool inside : {false, true}) {
      meet(8, [again, inside](meeting& at) {
        member_handed_over in(at, again, inside);
        auto run = [&] { again || inside ? (*in.work)() : in.work.reset(); };
        inside ? at.hold_inside(run) : at.hold(in, run);
        std::vector<detent::unfired_timer> left;
        {
          waits_for_it here;
          left = in.engine.stop();
        }
        in.closed = true;
        at.go_on();
        EXPECT_EQ(in.late, 0);
        EXPECT_LE(left.size(), 1u);
        expect_each_once(in, left, left.size());
        EXPECT_EQ(in.group->pending(), 0u);
      });
    }
  }
}

// A producer may pass a light one right before: then the stop sees what it pushed, or it sees the stop.
TEST(MeetingsStop, PassesAHeavyFenceBetweenItsMarkAndItsFirstReadingOfATimer) {
  if (!real::enable_heavy_fence()) GTEST_SKIP() << "the kernel has no such fence";
  detent::engine engine;  // with a worker, which may take the producers' fences upon itself
  engine.schedule_after(1h, [] {});
  bool marked = false, fenced = false, looked = false;
  const watcher sees = [&](operation what, const site& where) {
    if (what == operation::exchange && where.is_in("/lifecycle.hpp")) marked = true;
    if (what == operation::heavy_fence) fenced = marked && !looked;
    if (marked && where.is_in("/state_word.hpp")) looked = true;
  };
  watch(&sees);
  EXPECT_EQ(engine.stop().size(), 1u);
  watch(nullptr);
  EXPECT_TRUE(fenced);
  EXPECT_TRUE(looked);
}

}  // namespace
