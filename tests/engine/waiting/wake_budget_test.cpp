// SPDX-License-Identifier: MIT
// The wake budget: how long a worker fires before it handles what was submitted in that time.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"
#include "support/engine_instant.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::instant;
using testing::moody_executor;
using testing::prepare_instant;

// A hundred thousand timers of some work, due at one instant; this thread schedules while they fire.
class EngineWakeBudgetInAFlood : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr std::size_t many = 100'000;
  static constexpr std::size_t nobody = SIZE_MAX;

  void SetUp() override {
    engine_options options{.wake_budget = 1ms};
    if (GetParam()) options.executor = std::make_shared<moody_executor>();
    all_ = prepare_instant(options, many, 8000, [](instant&) {});
    ASSERT_NE(all_, nullptr);
    ASSERT_TRUE(eventually([&] { return all_->ran > 0; }));
  }
  auto note(std::atomic<std::size_t>& ran_before) {
    return [this, &ran_before] { ran_before = all_->ran.load(); };
  }
  std::unique_ptr<instant> all_;
};

INSTANTIATE_TEST_SUITE_P(Executors, EngineWakeBudgetInAFlood, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "inline_executor" : "none"; });

// Timers that are overdue already come before those that were due later, although these have been accepted.
TEST_P(EngineWakeBudgetInAFlood, LetsAnEarlierDeadlineFireBeforeTheRest) {
  std::atomic<std::size_t> ran_before{nobody};
  all_->owned->schedule_at(all_->due - 1ns, note(ran_before));
  const std::size_t ran_at_the_call = all_->ran;
  ASSERT_TRUE(eventually([&] { return ran_before != nobody; }));
  if (ran_at_the_call < many / 2) {
    EXPECT_LT(ran_before, many);
  }
  EXPECT_TRUE(all_->wait());
}

TEST_P(EngineWakeBudgetInAFlood, LetsAHigherLaneFireBeforeTheRest) {
  std::atomic<std::size_t> ran_before{nobody};
  all_->owned->schedule_after(0ns, note(ran_before), {.lane = 3});
  const std::size_t ran_at_the_call = all_->ran;
  ASSERT_TRUE(eventually([&] { return ran_before != nobody; }));
  if (ran_at_the_call < many / 2) {
    EXPECT_LT(ran_before, many);
  }
  EXPECT_TRUE(all_->wait());
}

// Order by deadline is not given up for it: what is due now comes after what was due before.
TEST_P(EngineWakeBudgetInAFlood, KeepsTheOrderByDeadline) {
  std::atomic<std::size_t> ran_before{nobody};
  all_->owned->schedule_after(0ns, note(ran_before));
  ASSERT_TRUE(eventually([&] { return ran_before != nobody; }));
  EXPECT_EQ(ran_before, many);
}

TEST_P(EngineWakeBudgetInAFlood, LetsAStopReturnTheRest) {
  const std::size_t left = all_->owned->stop().size();
  EXPECT_EQ(all_->ran + left, many);
  EXPECT_EQ(all_->owned->metrics().returned, left);
}

// A budget that every single callback exceeds: one at a time, and none is lost.
TEST(EngineWakeBudgetOfANanosecond, FiresEverythingInOrder) {
  for (const bool on_executor : {false, true}) {
    engine_options options{.wake_budget = 1ns};
    if (on_executor) options.executor = std::make_shared<moody_executor>();
    std::atomic<int> runs{0}, out_of_order{0};
    constexpr int count = 2000;
    engine e(std::move(options));
    const time_point base = clock::now() + 20ms;
    for (int i = 0; i < count; ++i) {
      e.schedule_at(base + duration(i), [&, i] {
        if (runs++ != i) ++out_of_order;
      });
    }
    ASSERT_TRUE(eventually([&] { return runs == count; }));
    EXPECT_EQ(out_of_order, 0);
    EXPECT_EQ(e.pending(), 0u);
  }
}

// poll() has a limit of its own: the budget is the worker's.
TEST(EngineWakeBudgetPolled, IsNoneOfPolls) {
  drive::virtual_engine rig({.wake_budget = 1ns});
  for (int i = 0; i < 100; ++i) rig.engine.schedule_at(drive::at(i), [&rig] { rig.clock.advance(5ns); });
  EXPECT_EQ(rig.poll_at(drive::at(100)), 100u);
}

}  // namespace
}  // namespace detent
