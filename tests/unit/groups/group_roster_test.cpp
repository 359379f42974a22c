// SPDX-License-Identifier: MIT
// The roster: what is in it, what is dropped in passing or by a walk, and what becomes of the memory.
#include "groups/group_roster.hpp"

#include "limits.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <vector>

#include "support/random_source.hpp"

namespace detent::detail {
namespace {

using indices = std::multiset<node_index>;

class GroupRoster : public ::testing::Test {
 protected:
  bool add(node_index index) {
    return roster_.add(
        {index, 7}, [this](const group_roster::entry& each) { return living_.count(each.index) != 0; }, memory_);
  }
  void add_living(node_index index) {
    living_.insert(index);
    EXPECT_TRUE(add(index));
  }
  // All that a walk meets; it drops those that `drops` names.
  template <class Drops>
  indices walk(Drops&& drops) {
    indices met;
    for (roster_.begin_walk(); !roster_.is_through();) {
      const group_roster::entry each = roster_.step();
      EXPECT_EQ(each.generation, 7u);
      met.insert(each.index);
      if (drops(each.index)) roster_.drop(memory_);
    }
    roster_.end_walk();
    return met;
  }
  indices entries() {
    return walk([](node_index) { return false; });
  }

  roster_memory memory_;
  group_roster roster_;
  std::set<node_index> living_;
};

// Whatever is dropped, the walk meets each once, and the others stay.
TEST_F(GroupRoster, AWalkMeetsEachOnceWhoeverIsDropped) {
  test::random_source random(5);
  for (int round = 0; round < 200; ++round) {
    const node_index count = random.between(0u, 40u), kept_of_ten = random.between(0u, 10u);
    for (node_index i = 0; i < count; ++i) add_living(i);
    indices kept;
    const indices met = walk([&](node_index each) {
      if (random.between(0u, 9u) >= kept_of_ten) return true;
      kept.insert(each);
      return false;
    });
    EXPECT_EQ(met, indices(living_.begin(), living_.end()));
    EXPECT_EQ(entries(), kept);
    EXPECT_EQ(roster_.size(), kept.size());
    walk([](node_index) { return true; });
    EXPECT_EQ(roster_.size(), 0u);
    living_.clear();
  }
}

TEST_F(GroupRoster, StaleEntriesAreNeverMuchMoreThanHalf) {
  test::random_source random(17);
  for (node_index i = 0; i < 100'000; ++i) {
    add_living(i);
    if (living_.size() > 1000) living_.erase(std::next(living_.begin(), random.between(0, 3)));
    ASSERT_LE(roster_.size(), 2 * living_.size() + 64);
  }
  indices all = entries();
  for (node_index each : living_) EXPECT_EQ(all.count(each), 1u);
}

TEST_F(GroupRoster, DropsNoneInPassingWhileItIsWalkedAndMeetsNoNewOne) {
  for (node_index i = 0; i < 100; ++i) add_living(i);
  living_.clear();
  indices met;
  node_index next = 100;
  for (roster_.begin_walk(); !roster_.is_through(); ++next) {
    met.insert(roster_.step().index);
    EXPECT_TRUE(add(next));
  }
  roster_.end_walk();
  EXPECT_EQ(met.size(), 100u);
  EXPECT_EQ(*met.rbegin(), 99u);
  EXPECT_EQ(roster_.size(), 200u);
  for (node_index i = 200; i < 400; ++i) EXPECT_TRUE(add(i));
  EXPECT_LT(roster_.size(), 10u);
}

TEST_F(GroupRoster, ForgetsThatItWasIncompleteButNotItsEntries) {
  add_living(1);
  roster_.forget();
  EXPECT_TRUE(roster_.complete());
  living_.clear();
  for (node_index i = 0; i < 10; ++i) EXPECT_TRUE(add(i));
  EXPECT_LT(roster_.size(), 10u);
}

TEST_F(GroupRoster, IsTooStaleWhenFewOfManyAreLeft) {
  for (node_index i = 0; i < limits::few_members; ++i) add_living(i);
  EXPECT_FALSE(roster_.too_stale(0));
  for (node_index i = limits::few_members; i < 400; ++i) add_living(i);
  EXPECT_TRUE(roster_.too_stale(99));
  EXPECT_FALSE(roster_.too_stale(100));
}

// One after the other: all of them together take what one of them took.
TEST_F(GroupRoster, WhatOneGivesBackTheNextTakes) {
  std::set<const roster_memory::chunk*> used;
  for (int round = 0; round < 3; ++round) {
    std::vector<roster_memory::chunk*> taken;
    for (int i = 0; i < 1000; ++i) taken.push_back(memory_.take());
    if (round == 0) used.insert(taken.begin(), taken.end());
    for (roster_memory::chunk* each : taken) {
      EXPECT_EQ(used.count(each), 1u);
      memory_.give_back(*each);
    }
  }
  for (node_index i = 0; i < 700; ++i) add_living(i);
  walk([](node_index) { return true; });
  std::set<const roster_memory::chunk*> again;
  for (int i = 0; i < 1000; ++i) again.insert(memory_.take());
  EXPECT_EQ(again, used);
}

}  // namespace
}  // namespace detent::detail
