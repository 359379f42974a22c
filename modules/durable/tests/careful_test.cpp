// SPDX-License-Identifier: MIT
// The timers that are given up when some of them end the process that runs them.
#include "careful_model.hpp"
#include "seed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace durable_test {
namespace {

using mark = careful_runs::mark;
using ids = std::vector<std::uint64_t>;

constexpr std::uint32_t fresh = 1;
constexpr std::uint32_t suspect = attempts{1, 0, 1}.stored();

ids started(const careful_runs::decision& by) {
  ids out;
  for (const mark& one : by.marks)
    if (one.starts) out.push_back(one.id);
  return out;
}

class CarefulRuns : public testing::Test {
 protected:
  careful_runs runs{{.at_once = 4, .trial = 1s, .settle = 10s}};
  std::uint64_t next_id = 0;

  std::uint64_t add(std::uint32_t attempt, std::uint32_t max_attempts = 3) {
    runs.add(++next_id, attempt, max_attempts);
    return next_id;
  }
};

TEST_F(CarefulRuns, AreMarkedBeforeTheyStart) {
  const std::uint64_t one = add(fresh), two = add(attempts{2}.stored());
  EXPECT_EQ(runs.decide(0s).marks,
            (std::vector<mark>{{one, attempts{1, 1, 1}.stored(), true}, {two, attempts{2, 1, 1}.stored(), true}}));
  EXPECT_TRUE(runs.decide(0s).marks.empty());
}

TEST_F(CarefulRuns, StartSomeAtATimeInTheirOrder) {
  for (int i = 0; i < 6; ++i) add(fresh);
  EXPECT_EQ(started(runs.decide(0s)), (ids{1, 2, 3, 4}));
  runs.over(1);
  EXPECT_EQ(started(runs.decide(0s)), ids{}) << "one write is for many";
  runs.over(2);
  EXPECT_EQ(started(runs.decide(0s)), (ids{5, 6}));
}

TEST_F(CarefulRuns, ASuspectIsAlone) {
  add(fresh);
  ASSERT_EQ(started(runs.decide(0s)), ids{1});
  add(suspect);
  add(suspect);
  add(fresh);
  EXPECT_EQ(started(runs.decide(0s)), ids{});
  runs.over(1);
  EXPECT_EQ(started(runs.decide(0s)), ids{2});
  runs.begun(2, 0s);
  EXPECT_EQ(started(runs.decide(999ms)), ids{});
  EXPECT_EQ(started(runs.decide(1s)), ids{3});
  runs.over(3);
  EXPECT_EQ(started(runs.decide(1s)), ids{4}) << "beside 2, which has passed";
}

TEST_F(CarefulRuns, TheMostSuspiciousIsTheFirst) {
  add(attempts{1, 0, 1}.stored());
  add(attempts{1, 1, 2}.stored());
  add(attempts{1, 0, 2}.stored());
  ids order;
  for (int i = 0; i < 3; ++i) {
    const ids next = started(runs.decide(0s));
    ASSERT_EQ(next.size(), 1u);
    order.push_back(next[0]);
    runs.over(next[0]);
  }
  EXPECT_EQ(order, (ids{2, 3, 1}));
}

TEST_F(CarefulRuns, ARunThatPassesIsHeldInnocent) {
  add(attempts{2, 1, 3}.stored(), 9);
  ASSERT_EQ(runs.decide(0s).marks, (std::vector<mark>{{1, attempts{2, 2, 4}.stored(), true}}));
  EXPECT_EQ(runs.wakes_at(), careful_runs::time::max()) << "it has not begun";
  runs.begun(1, 10s);
  EXPECT_EQ(runs.wakes_at(), 14s) << "the third trial is of four seconds";
  EXPECT_TRUE(runs.decide(14s - 1ns).marks.empty());
  EXPECT_EQ(runs.decide(14s).marks, (std::vector<mark>{{1, attempts{2, 0, 4}.stored(), false}}));
}

TEST_F(CarefulRuns, TheLastAttemptIsMadeWhenNothingElseCanBeTheCause) {
  add(suspect, 9);
  ASSERT_EQ(started(runs.decide(0s)), ids{1});
  runs.begun(1, 0s);
  add(attempts{1, 2, 3}.stored(), 3);
  add(suspect, 9);
  EXPECT_EQ(started(runs.decide(1s)), ids{3}) << "1 has passed, and runs";
  runs.over(3);
  EXPECT_EQ(started(runs.decide(1s)), ids{});
  EXPECT_EQ(runs.wakes_at(), 11s);
  EXPECT_EQ(started(runs.decide(11s)), ids{2});
  add(fresh);
  EXPECT_EQ(started(runs.decide(11s)), ids{});
}

TEST_F(CarefulRuns, OneWithoutAttemptsIsGivenUp) {
  add(attempts{1, 3, 3}.stored(), 3);
  add(attempts{4, 0, 0}.stored(), 3);  // its handler was allowed more
  const careful_runs::decision next = runs.decide(0s);
  EXPECT_EQ(next.given_up, ids{1});
  EXPECT_EQ(started(next), ids{2});
}

TEST_F(CarefulRuns, WhatDoesNotStartAnyMoreHoldsUpNothing) {
  add(suspect);
  add(suspect);
  add(suspect);
  ASSERT_EQ(started(runs.decide(0s)), ids{1});
  runs.over(2);  // cancelled while it waits
  runs.over(1);  // its mark was refused
  runs.over(9);
  EXPECT_EQ(started(runs.decide(0s)), ids{3});
  runs.over(3);
  EXPECT_EQ(runs.waiting() + runs.on_trial(), 0u);
  EXPECT_EQ(runs.wakes_at(), careful_runs::time::max());
}

TEST(Attempts, AreOneNumberInTheStore) {
  const attempts its{7, 3, 200};
  EXPECT_EQ(attempts::of(its.stored()), its);
  EXPECT_EQ(attempts{5}.stored(), 5u) << "without marks it is the number that it always was";
  EXPECT_EQ(attempts::of(attempts{70'000, 300, 256}.stored()), (attempts{65'535, 255, 255}));
  EXPECT_EQ((attempts{2, 1, 4}.failed()), attempts{4}) << "a start that was lost was an attempt, and is forgotten";
}

struct named_plan {
  const char* name;
  cluster_plan plan;
  int rounds;
};

class ACluster : public testing::TestWithParam<named_plan> {};

TEST_P(ACluster, GivesUpTheGuiltyAndNoOther) {
  const std::uint64_t seed = seed_of_run();
  std::cout << "seed " << seed << '\n';
  const cluster_plan& plan = GetParam().plan;
  std::vector<std::size_t> innocent;
  for (int round = 0; round < GetParam().rounds; ++round) {
    const cluster_model::verdict found = cluster_model(plan, seed + static_cast<std::uint64_t>(round)).run();
    EXPECT_EQ(found.guilty, plan.guilty);
    EXPECT_LE(found.innocent, 1u);
    EXPECT_LE(found.drained_at, 600s);
    innocent.push_back(found.innocent);
  }
  std::ranges::sort(innocent);
  EXPECT_EQ(innocent[innocent.size() / 2], 0u);
}

INSTANTIATE_TEST_SUITE_P(With, ACluster,
                         testing::Values(named_plan{"one_node", {}, 9}, named_plan{"three_nodes", {.nodes = 3}, 5},
                                         named_plan{"ten_guilty", {.guilty = 10, .nodes = 3}, 3},
                                         named_plan{"one_attempt", {.slow = 20, .max_attempts = 1}, 5}),
                         [](const auto& its) { return its.param.name; });

}  // namespace
}  // namespace durable_test
