// SPDX-License-Identifier: MIT
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using drive::at;
using drive::ids;
using EngineDriveNextDeadline = drive::in_virtual_time;

TEST_F(EngineDriveNextDeadline, IsExactWhereverTheDeadlineLies) {
  for (unsigned bit = 0; bit < 62; ++bit) {
    for (std::int64_t beside : {-1, 0, 1}) {
      const time_point due = at((std::int64_t{1} << bit) + beside);
      timer only = engine_.schedule_at(due, [] {});
      EXPECT_EQ(engine_.next_deadline(), due) << "2^" << bit << " + " << beside;
      only.cancel();
    }
  }
}

TEST_F(EngineDriveNextDeadline, IsPastForWhatIsOverdue) {
  engine_.schedule_at(at(5), [] {});
  clock_.advance_to(at(100));
  EXPECT_EQ(engine_.next_deadline(), at(5));
}

// Any of them may hold the earliest.
TEST_F(EngineDriveNextDeadline, IsTheEarliestOfWhatABoundedPollLeftInSeveralLanes) {
  std::array due{10, 20, 30};
  do {
    drive::virtual_engine rig;
    rig.engine.schedule_at(at(5), rig.note(0), {.lane = 3});
    for (std::uint8_t i = 0; i < due.size(); ++i) rig.engine.schedule_at(at(due[i]), [] {}, {.lane = i});
    EXPECT_EQ(rig.poll_at(at(100), 1), 1u);
    EXPECT_EQ(rig.fired, ids{0});
    EXPECT_EQ(rig.engine.next_deadline(), at(10)) << "by lane: " << due[0] << ", " << due[1] << ", " << due[2];
  } while (std::next_permutation(due.begin(), due.end()));
}

TEST_F(EngineDriveNextDeadline, IsNoneOnceStopped) {
  engine_.schedule_at(at(10), [] {});
  engine_.stop();
  EXPECT_EQ(engine_.next_deadline(), std::nullopt);
}

// Many timers in one slot, many of them moved since they were inserted there: it may be early, never late, and a caller
// that polls at the times it returns gets there in bounded steps.
TEST_F(EngineDriveNextDeadline, IsNeverLaterThanTheTrueOneAndLeadsToEachTimer) {
  test::random_source random(test::new_seed());
  std::multiset<time_point> pending;
  std::vector<timer> timers;
  for (int i = 0; i < 2000; ++i) timers.push_back(engine_.schedule_at(at(1'000'000), [] {}));
  engine_.next_deadline();
  for (timer& each : timers) {
    const time_point due = at(random.between(std::int64_t{1'000'000}, std::int64_t{100'000'000'000}));
    EXPECT_TRUE(each.restart_at(due));
    pending.insert(due);
  }
  int steps = 0;
  while (!pending.empty()) {
    ASSERT_LT(++steps, 20'000);
    auto reported = engine_.next_deadline();
    ASSERT_TRUE(reported);
    ASSERT_LE(*reported, *pending.begin());
    std::size_t due = 0;
    clock_.advance_to(*reported);
    while (!pending.empty() && *pending.begin() <= clock_.now()) {
      pending.erase(pending.begin());
      ++due;
    }
    ASSERT_EQ(engine_.poll(), due);
  }
  EXPECT_EQ(engine_.next_deadline(), std::nullopt);
}

}  // namespace
}  // namespace detent
