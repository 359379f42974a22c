// SPDX-License-Identifier: MIT
// The end of a group's members, of a group and of an engine, in the middle of whatever else is done.
#include <search/meetings/meeting.hpp>

#include <sys/timerfd.h>

#include <array>
#include <optional>

namespace {

using namespace hooks;
using detent::timer;

// A timer's canceller is still inside its call when the driver comes to the timer, and another timer wants a node.
TEST(MeetingsCancel, HasTheNodeToItselfUntilItNeedsItNoMore) {
  for (bool in_group : {false, true}) {
    meet(6, [in_group](meeting& at) {
      scene in;
      timer subject =
          in_group ? in.group->schedule_at(noon + 1ms, in.note()) : in.engine.schedule_at(noon + 1ms, in.note());
      in.settle();
      bool cancelled = false;
      at.hold(in, [&] { cancelled = subject.cancel() == detent::cancel_result::cancelled; });
      in.run_to(noon + 1ms);
      timer next = in.engine.schedule_at(noon + 2ms, in.note());
      at.go_on();
      EXPECT_EQ(in.runs, cancelled ? 0 : 1);
      EXPECT_TRUE(next.pending());
      in.expect_runs_at(noon + 2ms);
      in.expect_at_rest();
    });
  }
}

TEST(MeetingsCancelAll, WhatIsCancelledDuringASweepIsGoneSoon) {
  meet(60, [](meeting& at) {
    scene in;
    for (int i = 0; i < 3; ++i) in.group->schedule_after(1h, in.note());
    in.settle();
    in.group->cancel_all();
    for (int i = 0; i < 3; ++i) in.group->schedule_after(1h, in.note());
    at.hold(in, [&] { in.engine.poll(); });
    in.group->cancel_all();
    at.go_on();
    in.settle();
    EXPECT_EQ(in.group->pending(), 0u);
    in.expect_at_rest();
    EXPECT_EQ(in.runs, 0);
  });
}

TEST(MeetingsCancelAll, WhatIsAddedAndCancelledDuringASweepIsGoneSoon) {
  meet(60, [](meeting& at) {
    scene in;
    std::array<timer, 4> members;
    for (timer& each : members) each = in.group->schedule_after(1h, in.note());
    in.settle();
    in.group->cancel_all();
    at.hold(in, [&] { in.engine.poll(); });
    timer added = in.group->schedule_after(2h, in.note());
    EXPECT_TRUE(added.pending());
    in.group->cancel_all();
    EXPECT_FALSE(added.pending());
    at.go_on();
    in.settle();
    in.expect_at_rest();
    EXPECT_EQ(in.runs, 0);
  });
}

TEST(MeetingsCancelAll, WhatIsScheduledMeanwhileIsCancelledOrComesInTime) {
  for (bool cancels : {false, true}) {
    meet(8, [cancels](meeting& at) {
      scene in;
      in.group->schedule_after(1h, in.note());
      in.settle();
      timer made;
      auto schedule = [&] { made = in.group->schedule_after(1ms, in.note()); };
      auto cancel = [&] { in.group->cancel_all(); };
      cancels ? at.hold(in, cancel) : at.hold(in, schedule);
      cancels ? schedule() : cancel();
      in.settle();
      at.go_on();
      in.settle();
      const bool goes_on = made.pending();
      EXPECT_EQ(in.group->pending(), goes_on ? 1u : 0u);
      in.expect_runs_at(noon + 1ms, goes_on ? 1 : 0);
      in.expect_at_rest();
    });
  }
}

TEST(MeetingsCancelAll, WhatHasBeenHandedOverRunsNoMoreOrIsWaitedFor) {
  for (bool again : {false, true}) {
    for (bool inside : {false, true}) {
      meet(8, [again, inside](meeting& at) {
        member_handed_over in(at, again, inside);
        inside ? at.hold_inside([&] { (*in.work)(); }) : at.hold(in, [&] { (*in.work)(); });
        {
          waits_for_it here;
          in.group->cancel_all_and_wait();
        }
        in.closed = true;
        EXPECT_LE(in.group->pending(), 1u);
        at.go_on();
        in.run_to(noon + 2ms);
        EXPECT_EQ(in.late, 0);
        EXPECT_LE(in.runs, 1);
        in.expect_at_rest();
      });
    }
  }
}

TEST(MeetingsCancelAll, WaitsForNobodyWhoIsNotThere) {
  meet(8, [](meeting& at) {
    member_handed_over in(at, true, false);
    at.hold(in, [&] {
      in.group->cancel_all_and_wait();
      in.closed = true;
    });
    (*in.work)();
    in.settle();
    at.go_on();
    in.run_to(noon + 2ms);
    EXPECT_EQ(in.late, 0);
    EXPECT_LE(in.runs, 1);
    in.expect_at_rest();
  });
}

TEST(MeetingsGroupEnd, LeavesTheNextGroupInItsPlaceAlone) {
  for (bool ends : {false, true}) {
    meet(8, [ends](meeting& at) {
      scene in;
      timer old = in.group->schedule_after(1ms, in.note());
      in.settle();
      auto end = [&] { in.group.reset(); };
      auto look = [&] { in.look(); };
      ends ? at.hold(in, end) : at.hold(in, look);
      ends ? look() : end();
      detent::timer_group next(in.engine);
      timer member = next.schedule_after(2ms, in.note());
      old.cancel();
      if (ends) in.settle();
      EXPECT_TRUE(member.pending());
      at.go_on();
      in.run_to(noon + 1ms);
      EXPECT_EQ(in.runs, 0);
      in.expect_runs_at(noon + 2ms);
      EXPECT_EQ(next.pending(), 0u);
      in.expect_at_rest();
    });
  }
}

// A group that outlives its engine rings: what has the number of the engine's descriptor by then is not its own.
TEST(MeetingsEngineEnd, LeavesTheNextDescriptorOfThatNumberAlone) {
  meet(8, [](meeting& at) {
    detent::manual_clock clock;
    std::optional<detent::engine> owned(detent::engine_options{.manual = &clock, .reserve = 0});
    detent::timer_group group(*owned);
    const int number = owned->wake_fd();
    owned->poll();
    at.hold_inside([&] {
      at.from_here();
      group.cancel_all();
    });
    {
      waits_for_it here;
      owned.reset();
    }
    const int others = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    EXPECT_EQ(others, number);
    const itimerspec in_an_hour{{0, 0}, {3600, 0}};
    timerfd_settime(others, 0, &in_an_hour, nullptr);
    at.go_on();
    itimerspec left{};
    timerfd_gettime(others, &left);
    EXPECT_GT(left.it_value.tv_sec, 0);
    close(others);
  });
}

TEST(MeetingsCapacity, IsExactWhereTwoScheduleOrOneCancels) {
  for (bool cancels : {false, true}) {
    meet(3, [cancels](meeting& at) {
      scene in(false, {.max_pending = 2});
      timer first = in.engine.schedule_at(noon + 1ms, in.note());
      timer second, third, other;
      if (cancels) second = in.engine.schedule_at(noon + 1ms, in.note());
      at.hold(in, [&] {
        if (cancels) {
          first.cancel();
        } else {
          other = in.engine.try_schedule_at(noon + 1ms, in.note());
        }
      });
      third = in.engine.try_schedule_at(noon + 1ms, in.note());
      at.go_on();
      EXPECT_LE(in.engine.pending(), 2u);
      if (in.engine.pending() < 2) {
        EXPECT_TRUE(cancels);
        EXPECT_TRUE(in.engine.try_schedule_at(noon + 1ms, in.note()));
      }
      EXPECT_FALSE(in.engine.try_schedule_at(noon + 1ms, in.note()));
      in.run_to(noon + 1ms);
      EXPECT_EQ(in.runs, 2);
    });
  }
}

}  // namespace
