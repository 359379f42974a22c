// SPDX-License-Identifier: MIT
// The roster: who is in it, who is dropped in passing, and what stays while somebody walks it.
#include "group_roster.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "support/random_source.hpp"

namespace detent::detail {
namespace {

class GroupRoster : public ::testing::Test {
 protected:
  bool add(node_index index) {
    return roster_.add({index, 7}, [this](const group_roster::entry& each) { return living_.count(each.index) != 0; });
  }
  void add_living(node_index index) {
    living_.insert(index);
    EXPECT_TRUE(add(index));
  }
  std::multiset<node_index> entries() const {
    std::multiset<node_index> all;
    for (std::size_t i = 0; i < roster_.size(); ++i) all.insert(roster_[i].index);
    return all;
  }

  group_roster roster_;
  std::set<node_index> living_;
};

TEST_F(GroupRoster, HoldsWhoWasAdded) {
  EXPECT_TRUE(roster_.complete());
  for (node_index i = 0; i < 100; ++i) add_living(i);
  EXPECT_EQ(entries(), std::multiset<node_index>(living_.begin(), living_.end()));
  EXPECT_EQ(roster_[0].generation, 7u);
}

TEST_F(GroupRoster, RemovesOneAndKeepsTheOthers) {
  for (node_index i = 0; i < 5; ++i) add_living(i);
  roster_.remove(1);
  roster_.remove(3);
  EXPECT_EQ(entries(), (std::multiset<node_index>{0, 2, 4}));
}

TEST_F(GroupRoster, StaleEntriesAreNeverMuchMoreThanHalf) {
  test::random_source random(17);
  for (node_index i = 0; i < 100'000; ++i) {
    add_living(i);
    if (living_.size() > 1000) living_.erase(std::next(living_.begin(), random.between(0, 3)));
    ASSERT_LE(roster_.size(), 2 * living_.size() + 64);
  }
  std::multiset<node_index> all = entries();
  for (node_index each : living_) EXPECT_EQ(all.count(each), 1u);
}

TEST_F(GroupRoster, KeepsItsPlacesWhileItIsWalked) {
  for (node_index i = 0; i < 100; ++i) add_living(i);
  living_.clear();
  roster_.keep(true);
  for (node_index i = 100; i < 200; ++i) EXPECT_TRUE(add(i));
  ASSERT_EQ(roster_.size(), 200u);
  for (node_index i = 0; i < 200; ++i) EXPECT_EQ(roster_[i].index, i);
  roster_.keep(false);
  for (node_index i = 200; i < 400; ++i) EXPECT_TRUE(add(i));
  EXPECT_LT(roster_.size(), 10u);
}

TEST_F(GroupRoster, IsAsNewOnceCleared) {
  add_living(1);
  roster_.keep(true);
  roster_.clear();
  EXPECT_EQ(roster_.size(), 0u);
  EXPECT_TRUE(roster_.complete());
  living_.clear();
  for (node_index i = 0; i < 10; ++i) EXPECT_TRUE(add(i));
  EXPECT_LT(roster_.size(), 10u);
}

}  // namespace
}  // namespace detent::detail
