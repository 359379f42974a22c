// SPDX-License-Identifier: MIT
// A group's time, its epochs, its runs and its references; and the store that uses states again.
#include "groups/group_state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>

#include "groups/group_store.hpp"
#include "support/drive_asleep.hpp"
#include "support/engine_eventually.hpp"
#include "support/joined_thread.hpp"

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

TEST_F(GroupState, WaitsForRunsOfEitherEpochButItsOwn) {
  const std::uint32_t epoch = group_.epoch();
  EXPECT_TRUE(group_.begin_run(epoch));
  std::array<std::uint32_t, 2> own{};
  own[epoch & 1] = 1;
  group_.wait_for_runs(own);
  group_.begin_epoch();
  std::atomic<bool> waited{false};
  EXPECT_TRUE(group_.begin_run(epoch + 1));
  drive::sleeper waits;
  testing::joined_thread waiter([&] {
    waits.lies_down();
    group_.wait_for_runs({0, 0});
    waited = true;
  });
  EXPECT_TRUE(waits.sleeps());
  group_.end_run(epoch);
  EXPECT_TRUE(waits.sleeps());
  EXPECT_FALSE(waited);
  group_.end_run(epoch + 1);
  EXPECT_TRUE(testing::eventually([&] { return waited.load(); }));
}

TEST_F(GroupState, NobodyComesBackToAStateThatIsGone) {
  const std::uint32_t epoch = group_.epoch();
  group_.begin_epoch();
  store_.drop_reference(group_);
  EXPECT_FALSE(group_.hold());
  group_run run;
  EXPECT_FALSE(run.begin(group_, epoch, store_));
  std::set<group_state*> made;
  for (int i = 0; i < 10; ++i) made.insert(&store_.make());
  EXPECT_EQ(made.size(), 10u);
  EXPECT_EQ(made.count(&group_), 1u);
}

TEST_F(GroupState, IsAsNewInItsNextUse) {
  go_to(10);
  group_.pause(time_);
  const std::uint32_t epoch = group_.epoch();
  store_.drop_reference(group_);
  group_state& next = store_.make();
  ASSERT_EQ(&next, &group_);
  EXPECT_TRUE(next.is_cancelled(epoch));
  EXPECT_FALSE(next.paused());
  EXPECT_EQ(next.offset(time_).ns, 0);
  EXPECT_TRUE(next.roster.complete());
  EXPECT_EQ(next.pending(), 0u);
}

TEST_F(GroupState, IsAskedForWhenMostOfThoseInItsRosterHaveLeft) {
  for (node_index i = 0; i < 400; ++i) {
    group_.join();
    group_.roster.add(
        {i, 2}, [](const group_roster::entry&) { return true; }, store_.rosters());
  }
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(store_.leave(group_));
  EXPECT_FALSE(store_.is_asked());
  int rings = 0;
  for (int i = 0; i < 3; ++i) rings += store_.leave(group_) ? 1 : 0;
  EXPECT_EQ(rings, 1) << "by the one that asked";
  EXPECT_TRUE(store_.is_asked());
  EXPECT_EQ(store_.take_requests(), &group_);
}

TEST_F(GroupState, IsAskedForOnce) {
  group_state& other = store_.make();
  EXPECT_FALSE(store_.is_asked());
  store_.request(group_);
  store_.request(group_);
  store_.request(other);
  EXPECT_TRUE(store_.is_asked());
  store_.begin_answer();
  EXPECT_FALSE(store_.is_asked());
  int count = 0;
  for (group_state* each = store_.take_requests(); each != nullptr; ++count) {
    group_state* next = each->next;
    each->answer();
    store_.drop_reference(*each);
    each = next;
  }
  EXPECT_EQ(count, 2);
  EXPECT_TRUE(group_.request());
}

TEST_F(GroupState, ReadersNeverSeeHalfATurn) {
  // The manual clock stands at 1000: a paused group's time is 1000, and while it runs it is 0 less.
  go_to(1000);
  std::atomic<bool> stop{false};
  testing::joined_thread turner([&] {
    while (!stop) {
      group_.pause(time_);
      group_.resume(time_);
    }
  });
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_EQ(group_.offset(time_).ns, 0);
    const nanoseconds_t t = group_.to_engine_time(group_time{5});
    ASSERT_TRUE(t == 5 || t == forever) << t;
  }
  stop = true;
}

}  // namespace
}  // namespace detent::detail
