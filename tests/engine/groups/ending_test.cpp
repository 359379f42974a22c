// SPDX-License-Identifier: MIT
// Timers that running members schedule in a group while it ends, or while a cancel waits for them. None of them starts
// once that has returned.
#include <detent/detent.hpp>
#include <detent/keyed_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "support/drive_problem.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

enum class place { worker, pool, keyed };

class GroupEnding : public ::testing::TestWithParam<place> {
 protected:
  static engine_options options() {
    engine_options wanted{.name = "ending"};
    if (GetParam() == place::pool) wanted.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2});
    if (GetParam() == place::keyed) wanted.executor = std::make_shared<keyed_pool>(keyed_pool_options{.threads = 2});
    return wanted;
  }
  // A member that runs until arm() says that it is enough, or for five seconds. Returns when it has started.
  void start_member(std::function<bool()> arm) {
    group_->schedule_after(0ns, [this, enough = std::move(arm)] {
      running_ = true;
      const auto last = clock::now() + 5s;
      while (!enough() && clock::now() < last) std::this_thread::yield();
    });
    ASSERT_TRUE(eventually([&] { return running_.load(); }));
  }
  // A callback that must not start once the group has ended.
  auto note() {
    return [this] {
      if (over_) late_.fetch_add(1);
    };
  }
  void expect_over() {
    over_ = true;
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(late_, 0);
    EXPECT_TRUE(eventually([&] { return engine_.pending() == 0; }));
    const engine_metrics m = engine_.metrics();
    EXPECT_EQ(m.scheduled, m.expired + m.cancelled);
  }

  std::atomic<bool> running_{false}, over_{false};
  std::atomic<int> late_{0};
  engine engine_{options()};
  std::optional<timer_group> group_{engine_};
  timer_group& inside_ = *group_;  // as its members know it
};
std::string name_of(const ::testing::TestParamInfo<place>& tested) {
  return tested.param == place::worker ? "worker" : tested.param == place::pool ? "pool" : "keyed";
}
INSTANTIATE_TEST_SUITE_P(All, GroupEnding, ::testing::Values(place::worker, place::pool, place::keyed), name_of);

TEST_P(GroupEnding, RefusesWhatAMemberArmsMeanwhile) {
  std::error_code refused;
  drive::problem thrown;
  start_member([&] {
    const timer made = inside_.try_schedule_after(0ns, note());
    refused = made.error();
    if (!refused) return false;
    thrown = drive::problem_of([&] { inside_.schedule_at_fixed_rate(1ms, 1ms, note()); });
    return true;
  });
  group_.reset();
  EXPECT_EQ(refused, errc::stopped);
  EXPECT_EQ(thrown.code, errc::stopped);
  EXPECT_TRUE(thrown.names("engine \"ending\": the timer's group has ended")) << thrown.what;
  expect_over();
}

TEST_P(GroupEnding, RefusesItWhereAnotherGroupIsAssigned) {
  std::error_code refused;
  start_member([&] {
    refused = inside_.try_schedule_after(0ns, note()).error();
    return bool(refused);
  });
  *group_ = timer_group(engine_);
  EXPECT_EQ(refused, errc::stopped);
  EXPECT_TRUE(group_->schedule_after(1h, [] {}).pending());
  group_.reset();
  expect_over();
}

// The member learns by its own handle that the cancel has begun.
TEST_P(GroupEnding, ACancelThatWaitsCancelsWhatAMemberArmsMeanwhile) {
  std::array<timer, 3> made;
  start_member([&] {
    if (inside_.schedule_after(1h, note()).pending()) return false;
    made = {inside_.schedule_after(0ns, note()), inside_.schedule_at_fixed_rate(0ns, 1us, note()),
            inside_.schedule_after(1h, note())};
    return true;
  });
  group_->cancel_all_and_wait();
  over_ = true;
  for (timer& each : made) {
    EXPECT_FALSE(each.pending());
    EXPECT_FALSE(each.restart_after(0ns));
  }
  // From here on it takes members again.
  std::atomic<bool> runs{false};
  group_->schedule_after(0ns, [&] { runs = true; });
  EXPECT_TRUE(eventually([&] { return runs && group_->pending() == 0; }));
  expect_over();
}

// One arms again by its firing, one by its handle, one by its period.
TEST_P(GroupEnding, NoOtherWayOfArmingLeadsPastIt) {
  for (int round = 0; round < 100; ++round) {
    over_ = running_ = false;
    group_.emplace(engine_);
    group_->schedule_after(0ns, [this](firing& run) {
      note()();
      run.rearm_after(0ns);
    });
    group_->schedule_at_fixed_rate(0ns, 1us, note());
    group_->schedule_with_fixed_delay(0ns, 1us, note());
    const timer other = group_->schedule_after(1h, note());
    start_member([&, until = clock::now() + duration(round * 2000)] {
      timer(other).restart_after(0ns);
      return clock::now() >= until;
    });
    group_.reset();
    over_ = true;
    std::this_thread::sleep_for(100us);
    ASSERT_EQ(late_, 0) << round;
  }
  expect_over();
}

// As a session does that a tick belongs to, which schedules the next tick.
TEST_P(GroupEnding, OfASessionThatTicksLeavesNothingBehind) {
  struct session {
    explicit session(engine& of) : group(of) { tick(); }
    void tick() {
      ++ticks;
      static_cast<void>(group.try_schedule_after(duration(ticks % 3 * 1000), [this] { tick(); }));
    }
    std::uint64_t ticks = 0;
    timer_group group;  // ends first
  };
  for (int round = 0; round < 300; ++round) {
    auto ends = std::make_unique<session>(engine_);
    const auto until = clock::now() + duration(round % 50 * 2000);
    while (clock::now() < until) std::this_thread::yield();
    ends.reset();  // a tick after this reads freed memory
  }
  expect_over();
}

}  // namespace
}  // namespace detent
