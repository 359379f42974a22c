// SPDX-License-Identifier: MIT
// Lanes in virtual time: of what is due the higher ones first, and all that can be done to a timer of each.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::census;
using testing::holding_executor;

constexpr std::uint8_t bulk = 0, critical = 3;

class EngineLanes : public drive::on_both_wheels {
 protected:
  timer schedule(int id, std::int64_t deadline, std::uint8_t lane) {
    return engine_.schedule_at(at(deadline), rig_.note(id), {.lane = lane});
  }
};

INSTANTIATE_TEST_SUITE_P(Wheels, EngineLanes, drive::both_wheels, drive::wheel_name);

// An entry that a restart has left among the critical ones is of no later timer in the same memory.
TEST_P(EngineLanes, LeaveNothingToTheNextTimerInThePlaceOfOneThatWasRestarted) {
  const label of_bulk = engine_.make_label("bulk");
  timer restarted = schedule(1, 100, critical);
  engine_.schedule_at(at(50), [&] { restarted.restart_at(at(10)); }, {.lane = critical});
  engine_.schedule_at(at(60), [&] { engine_.schedule_at(at(90), rig_.note(2), {.label = of_bulk}); },
                      {.lane = critical});
  schedule(3, 120, critical);
  rig_.poll_at(at(1000));
  EXPECT_EQ(fired_, (ids{1, 3, 2}));
}

TEST(EngineLanesDefault, IsTheBulkOfFour) {
  EXPECT_EQ(timer_options{}.lane, 0);
  EXPECT_EQ(periodic_options{}.lane, 0);
  EXPECT_EQ(lane_count, 4);
}

TEST_P(EngineLanes, LetNothingFireBeforeItsDeadline) {
  schedule(3, 30, critical);
  schedule(0, 10, bulk);
  EXPECT_EQ(rig_.poll_at(at(29)), 1u);
  EXPECT_EQ(fired_, ids{0});
  EXPECT_EQ(rig_.poll_at(at(30)), 1u);
  EXPECT_EQ(fired_, (ids{0, 3}));
}

// Random deadlines and restarts, against a sort by lane, deadline and arming.
TEST_P(EngineLanes, AreExactInsideEach) {
  test::random_source random(5);
  struct armed {
    int lane;
    std::int64_t deadline;
    int order, id;
    auto key() const { return std::tuple(-lane, deadline, order); }
  };
  std::vector<armed> model;
  std::vector<timer> timers;
  int order = 0;
  for (int id = 0; id < 2000; ++id) {
    const int lane = random.between(0, 3);
    const std::int64_t deadline = random.between(1, 200);
    timers.push_back(schedule(id, deadline, static_cast<std::uint8_t>(lane)));
    model.push_back({lane, deadline, order++, id});
  }
  for (int i = 0; i < 500; ++i) {
    armed& moved = model[random.between(std::size_t{0}, model.size() - 1)];
    moved.deadline = random.between(1, 200);
    moved.order = order++;
    EXPECT_TRUE(timers[static_cast<std::size_t>(moved.id)].restart_at(at(moved.deadline)));
  }
  std::sort(model.begin(), model.end(), [](const armed& a, const armed& b) { return a.key() < b.key(); });
  ids expected;
  for (const armed& each : model) expected.push_back(each.id);
  EXPECT_EQ(rig_.poll_at(at(200)), 2000u);
  EXPECT_EQ(fired_, expected);
}

TEST_P(EngineLanes, AreOvertakenByWhatACallbackArmsInAHigherOne) {
  engine_.schedule_at(at(10), [this] {
    fired_.push_back(0);
    schedule(3, 12, critical);
    schedule(1, 5, 1);
  });
  schedule(4, 11, bulk);
  schedule(5, 11, 2);
  rig_.poll_at(at(20));
  EXPECT_EQ(fired_, (ids{5, 0, 3, 1, 4}));
}

TEST_P(EngineLanes, AreLeftInOrderByABoundedPoll) {
  for (int id : {2, 1}) schedule(id, 10 * id, bulk);
  for (int id : {32, 31}) schedule(id, 10 * id, critical);
  EXPECT_EQ(rig_.poll_at(at(1000), 1), 1u);
  schedule(30, 1, critical);
  schedule(20, 900, 2);
  EXPECT_EQ(engine_.poll(3), 3u);
  EXPECT_EQ(engine_.poll(), 2u);
  EXPECT_EQ(fired_, (ids{31, 30, 32, 20, 1, 2}));
}

TEST_P(EngineLanes, GiveTheNextDeadlineOfAll) {
  schedule(0, 500, bulk);
  EXPECT_EQ(engine_.next_deadline(), at(500));
  timer higher = schedule(3, 300, critical);
  EXPECT_EQ(engine_.next_deadline(), at(300));
  EXPECT_TRUE(higher.restart_at(at(700)));
  EXPECT_EQ(engine_.next_deadline(), at(500));
  rig_.poll_at(at(500));
  EXPECT_EQ(engine_.next_deadline(), at(700));
  EXPECT_EQ(higher.cancel(), cancel_result::cancelled);
  EXPECT_FALSE(engine_.next_deadline());
}

TEST_P(EngineLanes, CancelAndRestartAsEver) {
  timer gone = schedule(1, 10, critical), later = schedule(2, 10, 2), earlier = schedule(3, 900, 1);
  engine_.next_deadline();  // inserts them
  EXPECT_EQ(gone.cancel(), cancel_result::cancelled);
  EXPECT_EQ(gone.cancel(), cancel_result::gone);
  EXPECT_TRUE(later.restart_at(at(50)));
  EXPECT_TRUE(earlier.restart_at(at(20)));
  rig_.poll_at(at(20));
  EXPECT_EQ(fired_, ids{3});
  rig_.poll_at(at(50));
  EXPECT_EQ(fired_, (ids{3, 2}));
  EXPECT_EQ(engine_.pending(), 0u);
}

// At the clock's zero that lies in the very first list of their wheel.
TEST_P(EngineLanes, CancelAndRestartWhatWasOverdueFromTheStart) {
  timer gone = schedule(1, -10, critical), moved = schedule(2, -10, critical);
  EXPECT_EQ(engine_.next_deadline(), at(-10));  // inserts them
  EXPECT_TRUE(moved.restart_at(at(-20)));
  EXPECT_EQ(engine_.next_deadline(), at(-20));
  EXPECT_EQ(gone.cancel(), cancel_result::cancelled);
  EXPECT_EQ(engine_.next_deadline(), at(-20));
  EXPECT_EQ(moved.cancel(), cancel_result::cancelled);
  EXPECT_FALSE(engine_.next_deadline());
}

TEST_P(EngineLanes, CancelAndRestartNeighboursThatAreDueAlready) {
  timer bulk_gone, bulk_moved, lane_gone, lane_moved;
  cancel_result first{}, second{};
  engine_.schedule_at(at(5),
                      [&] {
                        fired_.push_back(30);
                        first = bulk_gone.cancel();
                        second = lane_gone.cancel();
                        EXPECT_TRUE(bulk_moved.restart_at(at(100)));
                        EXPECT_TRUE(lane_moved.restart_at(at(9)));  // due all the same, but after 32 now
                      },
                      {.lane = critical});
  bulk_gone = schedule(1, 5, bulk), bulk_moved = schedule(2, 5, bulk);
  lane_gone = schedule(31, 6, critical), lane_moved = schedule(33, 7, critical);
  schedule(32, 8, critical);
  rig_.poll_at(at(20));
  EXPECT_EQ(first, cancel_result::cancelled);
  EXPECT_EQ(second, cancel_result::cancelled);
  EXPECT_EQ(fired_, (ids{30, 32, 33}));
  rig_.poll_at(at(100));
  EXPECT_EQ(fired_, (ids{30, 32, 33, 2}));
}

// It goes back into its own lane's wheel, whether its turn comes or a search for the next deadline finds it.
TEST_P(EngineLanes, KeepWhatIsDueAlreadyAndIsRestartedToLater) {
  timer moved;
  engine_.schedule_at(at(5), [&] { EXPECT_TRUE(moved.restart_at(at(100))); }, {.lane = critical});
  moved = schedule(1, 7, critical);
  EXPECT_EQ(rig_.poll_at(at(20)), 1u);
  EXPECT_EQ(engine_.next_deadline(), at(100));
  EXPECT_EQ(rig_.poll_at(at(100)), 1u);

  schedule(2, 105, critical);
  moved = schedule(3, 105, critical);
  EXPECT_EQ(rig_.poll_at(at(110), 1), 1u);
  EXPECT_TRUE(moved.restart_at(at(200)));
  EXPECT_EQ(engine_.next_deadline(), at(200));
  EXPECT_EQ(rig_.poll_at(at(200)), 1u);
  EXPECT_EQ(fired_, (ids{1, 2, 3}));
}

TEST_P(EngineLanes, HoldForEachPeriod) {
  engine_.schedule_at_fixed_rate(10ns, 10ns, rig_.note(3), {.runs = 3, .lane = critical});
  engine_.schedule_with_fixed_delay(10ns, 10ns, rig_.note(0), {.runs = 3});
  for (int now : {10, 20, 30, 40}) rig_.poll_at(at(now));
  EXPECT_EQ(fired_, (ids{3, 0, 3, 0, 3, 0}));
}

TEST_P(EngineLanes, HoldForWhatIsReArmed) {
  engine_.schedule_at(at(10),
                      [this](firing& f) {
                        fired_.push_back(3);
                        if (f.started() < at(30)) f.rearm_after(10ns);
                      },
                      {.lane = critical});
  for (int now : {10, 20, 30}) schedule(0, now, bulk);
  for (int now : {10, 20, 30}) rig_.poll_at(at(now));
  EXPECT_EQ(fired_, (ids{3, 0, 3, 0, 3, 0}));
}

TEST_P(EngineLanes, EndWithTheirTimers) {
  timer ended = schedule(3, 10, critical);
  rig_.poll_at(at(10));
  rig_.note_in_place_of(ended, at(21), 1);
  schedule(0, 20, bulk);
  schedule(2, 22, 2);
  EXPECT_EQ(rig_.poll_at(at(30)), 3u);
  EXPECT_EQ(fired_, (ids{3, 2, 0, 1}));
}

TEST_P(EngineLanes, ReturnWhatNeverFiredWhenTheEngineStops) {
  census captures;
  for (std::uint8_t lane = 0; lane < lane_count; ++lane) {
    engine_.schedule_at(at(10), [token = captures.join()] {}, {.lane = lane});
    engine_.schedule_at(at(900), [token = captures.join()] {}, {.lane = lane});
  }
  rig_.poll_at(at(10), 2);  // the rest is left in the queues
  EXPECT_EQ(engine_.stop().size(), 6u);
  EXPECT_EQ(captures.living(), 0);
}

TEST_P(EngineLanes, AreOnTheTickToo) {
  drive::virtual_engine rig(with_wheel({.tick = 1ms}));
  rig.engine.schedule_at(at(1), rig.note(0));
  rig.engine.schedule_at(at(999'999), rig.note(3), {.lane = critical});
  rig.engine.schedule_at(at(1'000'001), rig.note(2), {.lane = 2});
  EXPECT_EQ(rig.poll_at(at(999'999)), 0u);
  EXPECT_EQ(rig.poll_at(at(1ms)), 2u);
  EXPECT_EQ(rig.poll_at(at(2ms)), 1u);
  EXPECT_EQ(rig.fired, (ids{3, 0, 2}));
}

TEST_P(EngineLanes, AreHandedToAnExecutorInTheirOrder) {
  auto holds = std::make_shared<holding_executor>();
  drive::virtual_engine rig(with_wheel({.executor = holds}));
  for (int round = 0; round < 50; ++round) {
    for (std::uint8_t lane = 0; lane < lane_count; ++lane)
      rig.engine.schedule_at(at(10 + round), rig.note(100 * (3 - lane) + round), {.lane = lane});
  }
  rig.poll_at(at(100));
  EXPECT_EQ(holds->run_all(), 200u);
  EXPECT_TRUE(std::is_sorted(rig.fired.begin(), rig.fired.end()));
}

// At both ends of the scale nothing overflows.
TEST_P(EngineLanes, ReachToTheEndOfTime) {
  timer last = schedule(3, INT64_MAX, critical), before = schedule(2, INT64_MAX - 1, 2);
  schedule(1, INT64_MIN, 1);
  rig_.poll_at(at(0));
  EXPECT_EQ(fired_, ids{1});
  rig_.poll_at(at(INT64_MAX - 1));
  EXPECT_FALSE(before.pending());
  EXPECT_TRUE(last.pending());
}

TEST_P(EngineLanes, ThatDoNotExistAreRefusedAndLeaveNothingBehind) {
  census captures;
  auto refused = [&](const auto& options, auto&& call) {
    const drive::problem reported = drive::problem_of(call);
    const std::string named = options.lane < lane_count ? "slack = -1 ns: must not be negative"
                                                        : "lane = " + std::to_string(options.lane) + ": must be 0 to 3";
    EXPECT_EQ(reported.code, errc::invalid_option);
    EXPECT_EQ(reported.what, "engine \"detent\": " + named);
  };
  auto f = [token = captures.join()] {};
  for (timer_options wrong : {timer_options{.lane = 4}, timer_options{.lane = 255}, timer_options{.slack = -1ns}}) {
    refused(wrong, [&] { engine_.schedule_at(at(10), f, wrong); });
    refused(wrong, [&] { engine_.schedule_after(10ns, f, wrong); });
    EXPECT_FALSE(engine_.try_schedule_at(at(10), f, wrong));
    EXPECT_FALSE(engine_.try_schedule_after(10ns, f, wrong));
  }
  for (periodic_options wrong : {periodic_options{.lane = 4}, periodic_options{.slack = -1ns}}) {
    refused(wrong, [&] { engine_.schedule_at_fixed_rate(1ns, 1ns, f, wrong); });
    refused(wrong, [&] { engine_.schedule_with_fixed_delay(1ns, 1ns, f, wrong); });
    EXPECT_FALSE(engine_.try_schedule_at_fixed_rate(1ns, 1ns, f, wrong));
  }
  EXPECT_EQ(captures.living(), 1);  // f itself
  EXPECT_EQ(engine_.pending(), 0u);
  EXPECT_EQ(engine_.metrics().scheduled, 0u);
}

}  // namespace
}  // namespace detent
