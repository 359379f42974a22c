// SPDX-License-Identifier: MIT
// The explorer's own parts: the tree of decisions, and schedules that are printed and followed again. What it finds is
// tested in litmus/.
#include <proofs/explorer/explore.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace model {
namespace {

std::string two_decisions(choices& decide) {
  unsigned first = decide.choose(3);
  unsigned second = first == 1 ? decide.choose(2) : 0;
  return std::to_string(first) + std::to_string(second);
}

TEST(Choices, VisitEachLeafOnce) {
  choices decide;
  std::vector<std::string> leaves;
  do {
    decide.rewind();
    leaves.push_back(two_decisions(decide));
  } while (decide.next());
  EXPECT_EQ(leaves, (std::vector<std::string>{"00", "10", "11", "20"}));
}

TEST(Choices, FollowTheirOwnText) {
  choices decide;
  do {
    decide.rewind();
    std::string leaf = two_decisions(decide), text = decide.text();
    choices again;
    auto way = choices::parse(text);
    ASSERT_TRUE(way) << text;
    again.follow(*way);
    again.rewind();
    EXPECT_EQ(two_decisions(again), leaf);
    EXPECT_EQ(again.text(), text);
    EXPECT_FALSE(again.strayed());
  } while (decide.next());
}

TEST(Choices, TellWhenAWayDoesNotFit) {
  choices decide;
  decide.follow({7});
  decide.rewind();
  two_decisions(decide);
  EXPECT_TRUE(decide.strayed());
}

TEST(Choices, RefuseWhatIsNoSchedule) {
  for (const char* text : {"", "1", "a:1", "1:", "1:2,", "2:1,1:1", "1:255", "1:1x", "-1:1", ":"}) {
    EXPECT_FALSE(choices::parse(text)) << '"' << text << '"';
  }
}

// Adds one, not atomically.
void lossy_count(execution& run) {
  auto& count = run.make<std::uint32_t>("count", 0u);
  machine& host = machine::instance();
  auto add = [&] {
    auto before = static_cast<std::uint32_t>(host.load(&count, 4, order::acquire, site::here()));
    host.store(&count, 4, before + 1, order::release, site::here());
  };
  run.thread("one", add);
  run.thread("two", add);
  run.join();
  require(host.load(&count, 4, order::acquire, site::here()) == 2, "an addition was lost");
}

TEST(Explore, FindsAndReplaysAFailure) {
  verdict found = explore({.preemptions = 1}, lossy_count);
  EXPECT_NE(found.complaint.find("an addition was lost"), std::string::npos) << report(found);
  EXPECT_FALSE(found.complete);
  EXPECT_FALSE(found.trace.empty());
  verdict again = replay({.preemptions = 1}, lossy_count, found.schedule);
  EXPECT_EQ(again.complaint, found.complaint);
  EXPECT_EQ(again.trace, found.trace);
}

TEST(Explore, BoundsPreemptions) {
  verdict found = explore({.preemptions = 0, .weak = {.stale = 0}}, lossy_count);
  EXPECT_EQ(found.complaint, "");
  EXPECT_TRUE(found.complete);
}

TEST(Explore, BoundsExecutions) {
  verdict found = explore({.preemptions = 0, .weak = {.stale = 0}, .executions = 1}, lossy_count);
  EXPECT_EQ(found.executions, 1u);
  EXPECT_FALSE(found.complete);
}

TEST(Explore, TriesWhatTheEnvironmentMayDo) {
  std::set<unsigned> ways;
  verdict found = explore({}, [&](execution&) { ways.insert(choose(4)); });
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(ways, (std::set<unsigned>{0, 1, 2, 3}));
}

TEST(Explore, TellsWhatWasReached) {
  verdict found = explore({}, [](execution&) { reach(choose(2) == 0 ? "one way" : "the other"); });
  EXPECT_EQ(found.marks, (std::vector<std::string>{"one way", "the other"}));
  EXPECT_TRUE(explore({}, [](execution&) {}).marks.empty());
}

TEST(Replay, RefusesTheScheduleOfAnotherProgram) {
  EXPECT_NE(replay({}, lossy_count, "0:9").complaint, "");
  EXPECT_NE(replay({}, lossy_count, "nonsense").complaint, "");
}

TEST(Fibers, GoOnAfterAFailure) {
  for (int i = 0; i != 3; ++i) {
    EXPECT_NE(explore({.preemptions = 1}, lossy_count).complaint, "");
    EXPECT_EQ(explore({.preemptions = 0, .weak = {.stale = 0}}, lossy_count).complaint, "");
  }
}

}  // namespace
}  // namespace model
