// SPDX-License-Identifier: MIT
// A sharded_group ends on all shards at once.
#include <detent/detent.hpp>
#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

class ShardedGroupEnd : public ::testing::Test {
 protected:
  // A member of shard 0 runs until another shard's part refuses or cancels, or for five seconds.
  void hold_up_the_first() {
    (*group_)[0].schedule_after(0ns, [this] {
      running_ = true;
      const auto last = clock::now() + 5s;
      while (!saw_the_last_end_ && clock::now() < last)
        saw_the_last_end_ = !inside_[3].try_schedule_after(1h, [] {}).pending();
      refusal_ = inside_[3].try_schedule_after(1h, [] {}).error();
      const std::uint64_t started = beats_;
      std::this_thread::sleep_for(5ms);
      beats_meanwhile_ = beats_ - started;
    });
    (*group_)[3].schedule_at_fixed_rate(0ns, 10us, [this] { ++beats_; });
    ASSERT_TRUE(eventually([&] { return running_ && beats_ > 0; }));
  }
  void expect_all_at_once() {
    EXPECT_TRUE(saw_the_last_end_);
    EXPECT_LE(beats_meanwhile_, 1u);  // one that had been decided before
  }

  sharded_engine set_{{.shards = 4}};
  std::optional<sharded_group> group_{set_};
  sharded_group& inside_ = *group_;  // the same group, as its members know it
  std::atomic<bool> running_{false};
  std::atomic<std::uint64_t> beats_{0};
  bool saw_the_last_end_ = false;
  std::error_code refusal_;
  std::uint64_t beats_meanwhile_ = 0;
};

TEST_F(ShardedGroupEnd, BeginsOnAllShardsBeforeItWaitsOnTheFirst) {
  hold_up_the_first();
  group_.reset();
  expect_all_at_once();
  EXPECT_EQ(refusal_, errc::stopped);
}

TEST_F(ShardedGroupEnd, DoesTheSameWhereAnotherIsAssigned) {
  hold_up_the_first();
  *group_ = sharded_group(set_);
  expect_all_at_once();
  EXPECT_EQ(refusal_, errc::stopped);
  EXPECT_TRUE(group_->of(1).schedule_after(1h, [] {}).pending());
}

TEST_F(ShardedGroupEnd, ACancelThatWaitsCancelsWhatAMemberArmsOnAnyShardMeanwhile) {
  hold_up_the_first();
  group_->cancel_all_and_wait();
  expect_all_at_once();
  EXPECT_FALSE(refusal_);
  EXPECT_TRUE((*group_)[3].schedule_after(1h, [] {}).pending());
}

// A member uses another shard's part until it has ended.
TEST_F(ShardedGroupEnd, MembersThatHopBetweenShardsFindAllPartsThere) {
  struct hop {
    sharded_group* in;
    unsigned key;
    void operator()() const {
      const unsigned next = key * 2654435761u + 1;
      static_cast<void>(in->of(next).try_schedule_after(1us, hop{in, next}));
    }
  };
  for (int round = 0; round < 200; ++round) {
    auto ends = std::make_unique<sharded_group>(set_);
    for (unsigned key = 0; key < 16; ++key) ends->of(key).schedule_after(0ns, hop{ends.get(), key});
    std::this_thread::sleep_for(std::chrono::microseconds(round % 20 * 20));
    ends.reset();
  }
  EXPECT_TRUE(eventually([&] { return set_.pending() == 0; }));
}

TEST_F(ShardedGroupEnd, MovesTakeTheMembersAlong) {
  group_->of(1).schedule_after(1h, [] {});
  sharded_group moved(std::move(*group_));
  *group_ = std::move(moved);
  sharded_group& same = *group_;
  *group_ = std::move(same);
  EXPECT_EQ(group_->pending(), 1u);
  EXPECT_EQ(group_->size(), 4u);
}

}  // namespace
}  // namespace detent
