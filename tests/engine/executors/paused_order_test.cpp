// SPDX-License-Identifier: MIT
// Members that wait in an executor when their group is paused: which go back, and in which order they come again.
#include <detent/detent.hpp>
#include <detent/keyed_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"
#include "support/joined_thread.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::eventually;
using testing::holding_executor;

class PausedOrder : public ::testing::Test {
 protected:
  // Members for the times 10, 11 and so on.
  void hand_over(int count) {
    for (int i = 0; i < count; ++i) group_.schedule_at(at(10 + i), rig_.note(i));
    rig_.poll_at(at(20));
    ASSERT_EQ(held().size(), static_cast<std::size_t>(count));
  }
  std::deque<fired_timer>& held() { return holds_->held; }

  std::shared_ptr<holding_executor> holds_ = std::make_shared<holding_executor>();
  drive::virtual_engine rig_{{.executor = holds_, .on_refusal = refusal_policy::retry}};
  engine& engine_ = rig_.engine;
  timer_group group_{engine_};
};

TEST_F(PausedOrder, OnceTheFirstHasGoneBackTheOthersDoSoToo) {
  hand_over(3);
  group_.pause();
  holds_->run_first();
  group_.resume();
  holds_->run_all();
  EXPECT_EQ(rig_.fired, ids{});
  engine_.poll();
  holds_->run_all();
  EXPECT_EQ(rig_.fired, (ids{0, 1, 2}));
  EXPECT_EQ(group_.pending(), 0u);
}

// The engine takes them back itself where the executor has not come to them.
TEST_F(PausedOrder, WhatComesDueAfterwardsOvertakesNone) {
  hand_over(3);
  group_.schedule_at(at(25), rig_.note(3));
  group_.pause();
  holds_->run_first();
  group_.resume();
  rig_.poll_at(at(25));
  EXPECT_EQ(held().size(), 2u + 4u);  // two of before, which do nothing any more
  holds_->run_all();
  EXPECT_EQ(rig_.fired, (ids{0, 1, 2, 3}));
}

// A refused member that waits to be offered again leaves the engine asleep while its group is paused.
TEST_F(PausedOrder, WhatWaitsForARetryIsNotOfferedMeanwhile) {
  holds_->refuse = true;
  for (int i = 0; i < 3; ++i) group_.schedule_at(at(10 + i), rig_.note(i));
  rig_.poll_at(at(20));
  EXPECT_LE(*engine_.next_deadline(), at(20) + 1ms);
  group_.pause();
  EXPECT_EQ(engine_.next_deadline(), (time_point::max)());
  const std::uint64_t refused = engine_.metrics().refused;
  for (int ms = 1; ms < 10; ++ms) rig_.poll_at(at(20) + std::chrono::milliseconds(ms));
  EXPECT_EQ(engine_.metrics().refused, refused);
  group_.resume();
  EXPECT_LE(*engine_.next_deadline(), rig_.clock.now());
  holds_->refuse = false;
  engine_.poll();
  holds_->run_all();
  EXPECT_EQ(rig_.fired, (ids{0, 1, 2}));
}

// Members of one key run one after the other in the order of their deadlines, whenever the group is paused.
TEST(PausedOrderKeyed, IsKeptAgainstAPauserWithoutRest) {
  test::random_source random(test::new_seed());
  engine e({.executor = std::make_shared<keyed_pool>(keyed_pool_options{.threads = 2})});
  constexpr int keys = 3, many = 60;
  for (int round = 0; round < 40; ++round) {
    timer_group group(e);
    std::array<std::vector<int>, keys> ran;
    std::atomic<int> runs{0};
    const time_point start = e.now();
    for (int i = 0; i < many; ++i) {
      for (int key = 0; key < keys; ++key) {
        const duration length(random.between(0, 20'000));
        group.schedule_at(start + i * 10us,
                          [&, key, i, length] {
                            ran[static_cast<std::size_t>(key)].push_back(i);
                            const auto until = clock::now() + length;
                            while (clock::now() < until) {
                            }
                            runs.fetch_add(1);
                          },
                          {.tag = static_cast<std::uint64_t>(key)});
      }
    }
    std::atomic<bool> done{false};
    testing::joined_thread pauser([&] {
      while (!done) {
        group.pause();
        std::this_thread::yield();
        group.resume();
        std::this_thread::sleep_for(20us);
      }
    });
    EXPECT_TRUE(eventually([&] { return runs == keys * many; })) << runs;
    done = true;
    pauser.join();
    for (const std::vector<int>& each : ran) EXPECT_TRUE(std::is_sorted(each.begin(), each.end())) << round;
    if (HasFailure()) return;
  }
}

// A worker sleeps through a pause, though a member of the group had been refused.
TEST(PausedOrderWorker, SleepsThroughAPauseThoughAMemberWasRefused) {
  auto moody = std::make_shared<testing::moody_executor>();
  moody->refuse = true;
  engine e({.executor = moody, .on_refusal = refusal_policy::retry});
  timer_group group(e);
  std::atomic<bool> ran{false};
  group.schedule_after(0ns, [&] { ran = true; });
  ASSERT_TRUE(eventually([&] { return moody->asked >= 3; }));
  group.pause();
  int asked = 0;
  EXPECT_TRUE(eventually([&] {
    const int before = moody->asked;
    std::this_thread::sleep_for(10ms);
    asked = moody->asked;
    return asked == before;
  }));
  moody->refuse = false;
  group.resume();
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
}

}  // namespace
}  // namespace detent
