// SPDX-License-Identifier: MIT
// Answers about timers that come and go: each was true at some moment of its call.
#include <search/meetings/meeting.hpp>

#include <detent/detail/timer_access.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace {

using namespace hooks;
using detent::timer;

std::uint32_t place_of(timer which) { return detent::detail::timer_access::index(which); }

// Between its readings of the counts, those that end are others than those that have begun.
TEST(MeetingsAnswers, PendingIsNeverLessThanNone) {
  auto trial = [](meeting& at) {
    scene in;
    const detent::label named = in.engine.make_label("seen");
    detent::engine_metrics reported, of_all;
    std::size_t pending = 0;
    at.hold(in, [&] {
      reported = in.engine.metrics(named);
      of_all = in.engine.metrics();
      pending = in.engine.pending();
    });
    for (int i = 0; i < 3; ++i) in.engine.schedule_after(0ms, in.note(), {.label = named});
    in.settle();
    in.engine.schedule_after(1h, in.note(), {.label = named}).cancel();
    in.settle();
    at.go_on();
    EXPECT_LE(reported.pending, 4u);
    EXPECT_LE(of_all.pending, 4u);
    EXPECT_LE(pending, 4u);
    EXPECT_EQ(in.engine.metrics(named).pending, 0u);
    in.expect_at_rest();
  };
  meet(40, trial, {.file = "/counters_block"});
}

// A member's group is cancelled, and its place belongs to another timer before the answer is given.
TEST(MeetingsAnswers, OfACancelledMemberAreNotAnotherTimersOfItsPlace) {
  meet(3, [](meeting& at) {
    scene in;
    timer member = in.group->schedule_after(1h, in.note());
    in.settle();
    in.group->cancel_all();
    bool pending = true, restarted = true;
    at.hold(in, [&] {
      pending = member.pending();
      restarted = member.restart_at(noon + 1ms);
    });
    in.settle();
    timer next = in.engine.schedule_after(2h, in.note(), {.slack = 1ns});
    EXPECT_EQ(place_of(next), place_of(member));
    at.go_on();
    EXPECT_FALSE(pending);
    EXPECT_FALSE(restarted);
    in.run_to(noon + 1h);
    EXPECT_EQ(in.runs, 0);
    next.cancel();
    in.expect_at_rest();
  });
}

// A handle's deadline is its own timer's, whosever the place is by then, or none.
TEST(MeetingsAnswers, ADeadlineIsNotAnotherTimersOfItsPlace) {
  for (const bool in_group : {false, true}) {
    meet(3, [in_group](meeting& at) {
      scene in;
      timer first =
          in_group ? in.group->schedule_after(1h, in.note()) : in.engine.schedule_at(noon + 1h, [&in] { ++in.runs; });
      std::optional<detent::time_point> due;
      at.hold(in, [&] { due = first.deadline(); });
      first.cancel();
      timer second = in.engine.schedule_at(noon + 2h, [&in] { ++in.runs; });
      EXPECT_EQ(place_of(first), place_of(second));
      at.go_on();
      EXPECT_TRUE(!due || *due == noon + 1h);
      second.cancel();
      in.expect_at_rest();
    });
  }
}

// The answer belongs to one arming, with its group as it was then.
TEST(MeetingsAnswers, ADeadlineIsOfOneArming) {
  meet(5, [](meeting& at) {
    scene in;
    timer member = in.group->schedule_after(1h, in.note());
    in.settle();
    std::optional<detent::time_point> due;
    at.hold(in, [&] { due = member.deadline(); });
    EXPECT_TRUE(member.restart_after(10h));
    in.group->pause();
    in.clock.advance(3h);
    in.settle();
    in.group->resume();
    at.go_on();
    EXPECT_TRUE(due == noon + 1h || due == noon + 10h || due == (detent::time_point::max)() || due == noon + 13h);
    EXPECT_EQ(member.deadline(), noon + 13h);
    member.cancel();
    in.expect_at_rest();
  });
}

// Between the readings of one timer of a list, not at each place that has none.
void meet_in_a_list(const std::function<void(meeting&)>& trial) {
  for (const char* file : {"/node.hpp", "/group_state"}) meet(1, trial, {.file = file});
}

// Each is reported with its own deadline and label, whosever the place was before or is by then.
TEST(MeetingsAnswers, AListShowsNoDeadlineOfAnotherGeneration) {
  meet_in_a_list([](meeting& at) {
    scene in;
    const detent::label named = in.engine.make_label("second");
    timer first = in.group->schedule_after(1h, in.note());
    std::vector<detent::pending_timer> reported;
    at.hold(in, [&] { reported = in.engine.list_pending(); });
    first.cancel();
    timer second = in.engine.schedule_after(2h, in.note(), {.label = named});
    EXPECT_EQ(place_of(first), place_of(second));
    at.go_on();
    EXPECT_LE(reported.size(), 1u);
    for (const detent::pending_timer& each : reported) {
      const bool is_first = each.handle == first;
      EXPECT_TRUE(is_first || each.handle == second);
      EXPECT_EQ(each.deadline, noon + (is_first ? 1h : 2h));
      EXPECT_EQ(each.label == named, !is_first);
    }
    second.cancel();
    in.expect_at_rest();
  });
}

TEST(MeetingsAnswers, AListShowsNoDeadlineOfAnotherArming) {
  meet_in_a_list([](meeting& at) {
    scene in;
    in.group->pause();
    timer member = in.group->schedule_after(1h, in.note());
    in.settle();
    std::vector<detent::pending_timer> reported;
    at.hold(in, [&] { reported = in.engine.list_pending(); });
    in.group->resume();
    in.settle();
    EXPECT_TRUE(member.restart_after(2h));
    at.go_on();
    ASSERT_EQ(reported.size(), 1u);
    const detent::time_point due = reported[0].deadline;
    EXPECT_TRUE(due == (detent::time_point::max)() || due == noon + 1h || due == noon + 2h);
    member.cancel();
    in.expect_at_rest();
  });
}

}  // namespace
