// SPDX-License-Identifier: MIT
// Groups that are paused and resumed in the middle of what is done with their members, and the other way round.
#include <search/meetings/meeting.hpp>

#include <optional>
#include <utility>
#include <vector>

#include "limits.hpp"

namespace {

using namespace hooks;
using detent::cancel_result;
using detent::firing;
using detent::timer;

TEST(MeetingsPause, WhatIsScheduledAtTheResumptionComesInTime) {
  for (bool periodic : {false, true}) {
    meet(10, [periodic](meeting& at) {
      scene in;
      in.group->pause();
      timer made;
      at.hold(in, [&] {
        made = periodic ? in.group->schedule_at_fixed_rate(1ms, 1h, in.note(), {.runs = 1})
                        : in.group->schedule_after(1ms, in.note());
      });
      in.group->resume();
      in.settle();
      at.go_on();
      in.expect_runs_at(noon + 1ms);
      EXPECT_FALSE(made.pending());
      in.expect_at_rest();
    });
  }
}

// A group is paused in a member's run, and the executor's thread is held in the steps that follow the run.
TEST(MeetingsPause, WhatIsArmedAgainAtTheResumptionComesInTime) {
  for (bool periodic : {false, true}) {
    meet(12, [periodic](meeting& at) {
      scene in(true);
      in.keeps = true;
      auto run = [&in, &at, here = in.captures.join()](firing& now) {
        if (++in.runs != 1) return;
        in.group->pause();
        if (now.self().pending()) {
          at.from_here();
        } else {
          now.rearm_after(1ms);
          at.from_here();
        }
      };
      if (periodic) {
        in.group->schedule_at_fixed_rate(0ms, 1ms, std::move(run), {.runs = 2});
      } else {
        in.group->schedule_after(0ms, std::move(run));
      }
      in.settle();
      at.hold_inside([work = in.take()]() mutable { work(); });
      in.keeps = false;
      in.group->resume();
      in.settle();
      at.go_on();
      in.expect_runs_at(noon + 1ms);
      in.expect_at_rest();
    });
  }
}

// A member that was handed over when its group was paused, on the executor's thread.
struct handed_over : scene {
  explicit handed_over(detent::timer_options options = {}) : scene(true) {
    keeps = true;
    member = group->schedule_at(noon, note(), options);
    settle();
    work.emplace(take());
    group->pause();
    keeps = false;
    settle();
  }
  timer member;
  std::optional<detent::fired_timer> work;
};

TEST(MeetingsPause, WhatIsPutBackAtTheResumptionComesAtOnce) {
  meet(6, [](meeting& at) {
    handed_over in;
    at.hold(in, [&] { (*in.work)(); });
    in.group->resume();
    in.settle();
    at.go_on();
    in.settle();
    EXPECT_EQ(in.runs, 1);
    in.expect_at_rest();
  });
}

// A thread has found the group paused, and is held up before it puts its member back until the resumption's sweep has
// ended. The others go back all the same. A poll goes through so many of them only, the last one first, and none is
// handed over until the next poll has found the rest.
TEST(MeetingsPause, WhatIsPutBackAfterTheResumptionDoesNotOvertake) {
  meet(1,
       [](meeting& at) {
         scene in(true);
         in.keeps = true;
         std::vector<int> order;
         in.group->schedule_at(noon, [&order] { order.push_back(1); });
         for (std::size_t n = 0; n < detent::detail::limits::sweep_a_poll; ++n) in.group->schedule_after(1h, [] {});
         in.group->schedule_at(noon, [&order] { order.push_back(2); });
         in.settle();
         auto& held = in.executor->held;
         ASSERT_EQ(held.size(), 2u);
         in.group->pause();
         at.hold(in, [work = std::move(held.back())]() mutable { work(); });
         held.pop_back();
         in.group->resume();
         in.settle();
         at.go_on();
         EXPECT_TRUE(order.empty());
         in.engine.poll();
         in.engine.poll();
         in.executor->run_all();
         EXPECT_EQ(order, (std::vector{1, 2}));
         in.group->cancel_all();
         in.settle();
         EXPECT_EQ(in.group->pending(), 0u);
       },
       {.file = "group_state.hpp", .what = operation::exchange});
}

// A caller that restarts it is not kept waiting for the thread that puts it back: its first call, which has to get a
// record before it can notify the driver.
TEST(MeetingsPause, WhatIsPutBackAndRestartedComesThoughItsThreadIsHeld) {
  for (auto to : {0us, 1000us}) {
    meet(6, [to](meeting& at) {
      handed_over in;
      at.hold_inside([&] {
        at.from_here();
        (*in.work)();
      });
      in.group->resume();
      in.settle();
      const bool restarted = in.member.restart_at(noon + to);
      EXPECT_TRUE(restarted || in.runs == 1 || !at.held());
      in.run_to(noon + to);
      if (restarted) {
        EXPECT_EQ(in.runs, 1);
      }
      at.go_on();
      in.settle();
      EXPECT_EQ(in.runs, 1);
      in.expect_at_rest();
    });
  }
}

// A pause that comes too late to keep it from running does not move its deadline after the run.
TEST(MeetingsPause, WhatRunsAllTheSameIsPassedADeadlineThatHasCome) {
  for (bool hands_over : {false, true}) {
    meet(20, [hands_over](meeting& at) {
      scene in(hands_over, {.tick = 1ms});
      in.keeps = true;
      in.group->schedule_at(noon + 1ms, [&in](firing& now) {
        ++in.runs;
        EXPECT_GE(now.lateness(), 0ns);
      });
      in.settle();
      in.clock.advance(1ms + 300us);  // between two ticks
      if (hands_over) {
        in.settle();
        at.hold(in, [work = in.take()]() mutable { work(); });
      } else {
        at.hold(in, [&] { in.engine.poll(); });
      }
      in.keeps = false;
      in.group->pause();
      in.clock.advance(1h);
      at.go_on();
      in.group->resume();
      in.settle();
      EXPECT_EQ(in.runs, 1);
      in.expect_at_rest();
    });
  }
}

}  // namespace
