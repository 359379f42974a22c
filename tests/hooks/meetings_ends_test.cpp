// SPDX-License-Identifier: MIT
// The end of an engine, of a group and of its members, in the middle of whatever else is done: each timer ends once.
#include <hooks/meeting.hpp>

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace hooks;
using detent::cancel_result;
using detent::firing;
using detent::timer;

// More operations than a call has that waits for none.
constexpr std::uint64_t longer_than_any_call = 4000;

// While one lives, this thread waits for the one that is held by letting it go on.
struct waits_for_it {
  waits_for_it() { let_go_on_after(longer_than_any_call); }
  ~waits_for_it() { let_go_on_never(); }
  waits_for_it(const waits_for_it&) = delete;
  waits_for_it& operator=(const waits_for_it&) = delete;
};

// --- Members that are cancelled together

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

TEST(MeetingsCancelAll, WhatIsRestartedMeanwhileIsGone) {
  meet(8, [](meeting& at) {
    scene in;
    timer member = in.group->schedule_after(1h, in.note());
    in.settle();
    at.hold(in, [&] { member.restart_after(1ms); });
    in.group->cancel_all();
    in.settle();
    at.go_on();
    in.run_to(noon + 1ms);
    EXPECT_EQ(in.runs, 0);
    in.expect_at_rest();
  });
}

// A member that was handed over, on the executor's thread; armed again by its run, or not.
struct member_handed_over : scene {
  member_handed_over(meeting& at, bool again, bool inside) : scene(true) {
    keeps = true;
    group->schedule_after(0ms, [this, &at, again, inside, here = captures.join()](firing& now) {
      if (closed) ++late;
      ++runs;
      if (again) now.rearm_after(1ms);
      if (inside) at.from_here();
    });
    settle();
    work.emplace(take());
    keeps = false;
  }
  std::atomic<bool> closed{false};
  std::atomic<int> late{0};
  std::optional<detent::fired_timer> work;
};

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

// --- The stop of the engine

// So many were accepted and have not ended otherwise.
void expect_each_once(scene& in, std::vector<detent::unfired>& left, std::size_t accepted) {
  EXPECT_EQ(left.size(), accepted);
  EXPECT_EQ(static_cast<std::size_t>(in.captures.living()), left.size());
  left.clear();
  in.expect_balance();
}

TEST(MeetingsStop, InTheMiddleReturnsRefusesOrHasLeftToOthersEachTimer) {
  auto trial = [](meeting& at) {
    scene in;
    std::vector<detent::unfired> left;
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
    for (const detent::unfired& each : left)
      EXPECT_EQ(each.deadline, noon + (each.handle == moved && restarted ? 2ms : 1ms));
    expect_each_once(in, left, 2 + (ended ? 0u : 1u) + (made[0] ? 1u : 0u) + (made[1] ? 1u : 0u));
    EXPECT_FALSE(in.engine.try_schedule_at(noon + 1ms, in.note()));
    EXPECT_FALSE(queued.pending());
  };
  // Not before each of the loads: it looks at hundreds of nodes that are free.
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
      std::vector<detent::unfired> left = in.engine.stop();
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
        std::vector<detent::unfired> left = in.engine.stop();
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

// On the executor's thread: it runs, arms itself again, or is let go of.
TEST(MeetingsStop, ReturnsWhatWasHandedOverOrWaitsForIt) {
  for (bool again : {false, true}) {
    for (bool inside : {false, true}) {
      meet(8, [again, inside](meeting& at) {
        member_handed_over in(at, again, inside);
        auto run = [&] { again || inside ? (*in.work)() : in.work.reset(); };
        inside ? at.hold_inside(run) : at.hold(in, run);
        std::vector<detent::unfired> left;
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

TEST(MeetingsStop, WaitsForThePollThatIsInside) {
  meet(60, [](meeting& at) {
    scene in;
    in.engine.schedule_at(noon + 1ms, in.note());
    in.engine.schedule_at(noon + 2ms, in.note());
    in.settle();
    in.clock.advance(1ms);
    at.hold(in, [&] { in.engine.poll(); });
    std::vector<detent::unfired> left;
    {
      waits_for_it here;
      left = in.engine.stop();
    }
    const int before = in.runs;
    at.go_on();
    EXPECT_EQ(in.runs, before);
    expect_each_once(in, left, 2 - static_cast<std::size_t>(before));
  });
}

}  // namespace
