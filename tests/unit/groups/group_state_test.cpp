// SPDX-License-Identifier: MIT
// A group's time, its epochs, its runs and its references; and the store that uses states again.
#include "groups/group_state.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "driver/groups_end.hpp"
#include "groups/group_store.hpp"

namespace detent::detail {
namespace {

using namespace std::chrono_literals;

// An offset is added to a group's time, once: the sum is the engine's, which takes no offset.
template <class Time>
concept takes_offset = requires(Time t) {
  later_by(group_offset{}, t);
};
static_assert(takes_offset<group_time> && !takes_offset<nanoseconds_t>);

class GroupState : public ::testing::Test {
 protected:
  void go_to(nanoseconds_t t) { clock_.advance_to(to_time(t)); }
  manual_clock clock_;
  clock_reader time_{&clock_, nullptr};
  group_store store_;
  groups_end driver_{store_};
  group_state& group_ = store_.make();
};

TEST_F(GroupState, KnowsWhetherACancelWaits) {
  const std::uint32_t before = group_.epoch();
  EXPECT_FALSE(group_.is_cancel_awaited());
  group_.begin_awaited_cancel();
  EXPECT_TRUE(group_.is_cancelled(before));
  EXPECT_FALSE(group_.is_cancelled(group_.epoch()));
  group_.begin_awaited_cancel();
  group_.end_awaited_cancel();
  EXPECT_TRUE(group_.is_cancel_awaited());
  group_.end_awaited_cancel();
  EXPECT_FALSE(group_.is_cancel_awaited());
}

TEST_F(GroupState, EndsOnce) {
  EXPECT_TRUE(group_.end());
  EXPECT_FALSE(group_.end());
  EXPECT_TRUE(group_.has_ended());
  const std::uint32_t last = group_.epoch();
  EXPECT_TRUE(group_.is_cancelled(last));
  EXPECT_FALSE(group_.begin_run(last));
  group_.end_run(last);
  group_.begin_epoch();
  EXPECT_TRUE(group_.is_cancelled(group_.epoch()));
  group_.begin_next();
  EXPECT_FALSE(group_.has_ended());
  EXPECT_TRUE(group_.is_cancelled(last));
  EXPECT_FALSE(group_.is_cancelled(group_.epoch()));
}

TEST_F(GroupState, ARunOfTheCancelledIsNoRun) {
  const std::uint32_t epoch = group_.epoch();
  group_.begin_epoch();
  group_run run;
  EXPECT_FALSE(run.begin(group_, epoch, store_));
  EXPECT_EQ(run.group(), nullptr);
  group_.wait_for_runs({0, 0});  // does not wait for it
}

TEST_F(GroupState, IsAsNewInItsNextUse) {
  go_to(10);
  group_.pause(time_);
  group_.scatter();
  const std::uint32_t epoch = group_.epoch();
  store_.drop_reference(group_);
  group_state& next = store_.make();
  ASSERT_EQ(&next, &group_);
  EXPECT_TRUE(next.is_cancelled(epoch));
  EXPECT_FALSE(next.paused());
  EXPECT_EQ(next.offset(time_).ns, 0);
  EXPECT_FALSE(next.takes_back());
  EXPECT_TRUE(groups_end::is_in_order(next));
  EXPECT_TRUE(groups_end::roster(next).complete());
  EXPECT_EQ(next.pending(), 0u);
}

TEST_F(GroupState, IsAskedForWhenMostOfThoseInItsRosterHaveLeft) {
  for (node_index i = 0; i < 400; ++i) {
    group_.join();
    groups_end::roster(group_).add(
        {i, 2}, [](const group_roster::entry&) { return true; }, driver_.rosters());
  }
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(store_.leave(group_));
  EXPECT_FALSE(driver_.is_asked());
  int rings = 0;
  for (int i = 0; i < 3; ++i) rings += store_.leave(group_) ? 1 : 0;
  EXPECT_EQ(rings, 1) << "by the one that asked";
  EXPECT_TRUE(driver_.is_asked());
  EXPECT_EQ(driver_.take_requests(), &group_);
}

TEST_F(GroupState, IsAskedForOnce) {
  group_state& other = store_.make();
  EXPECT_FALSE(driver_.is_asked());
  store_.request(group_);
  store_.request(group_);
  store_.request(other);
  EXPECT_TRUE(driver_.is_asked());
  driver_.begin_answer();
  EXPECT_FALSE(driver_.is_asked());
  int count = 0;
  for (group_state* each = driver_.take_requests(); each != nullptr; ++count) {
    group_state* next = groups_end::next(*each);
    groups_end::answer(*each);
    store_.drop_reference(*each);
    each = next;
  }
  EXPECT_EQ(count, 2);
  EXPECT_TRUE(group_.request());
}

}  // namespace
}  // namespace detent::detail
