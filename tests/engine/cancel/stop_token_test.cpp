// SPDX-License-Identifier: MIT
// Timers that a stop request cancels.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/random_source.hpp"

namespace detent::drive {
namespace {

using testing::census;
using testing::eventually;

class EngineStopToken : public ::testing::Test {
 protected:
  auto counting() {
    return [this, here = census_.join()] { ++runs_; };
  }
  virtual_engine rig_;
  engine& engine_ = rig_.engine;
  census census_;
  std::stop_source source_;
  int runs_ = 0;
};

TEST_F(EngineStopToken, AStopCancelsAndDestroysTheCaptures) {
  timer t = engine_.schedule_after(1s, source_.get_token(), counting());
  EXPECT_TRUE(t.pending());
  EXPECT_EQ(census_.living(), 1);
  source_.request_stop();
  EXPECT_EQ(census_.living(), 0);
  EXPECT_EQ(t.cancel(), cancel_result::gone);
  EXPECT_EQ(engine_.metrics().cancelled, 1u);
  EXPECT_EQ(rig_.poll_at(at(2s)), 0u);
}

TEST_F(EngineStopToken, WithoutAStopItFiresOnce) {
  engine_.schedule_after(1s, source_.get_token(), counting());
  engine_.schedule_after(1s, std::stop_token(), counting());
  EXPECT_EQ(rig_.poll_at(at(1s)), 2u);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(census_.living(), 0);
  source_.request_stop();
  EXPECT_EQ(engine_.metrics().expired, 2u);
}

TEST_F(EngineStopToken, AStopRequestedBeforeCancelsAtOnce) {
  source_.request_stop();
  timer t = engine_.schedule_after(1s, source_.get_token(), counting());
  EXPECT_TRUE(t);
  EXPECT_FALSE(t.pending());
  EXPECT_EQ(census_.living(), 0);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(EngineStopToken, ItsHandleIsLikeAnyOther) {
  timer t = engine_.schedule_after(1s, source_.get_token(), counting());
  EXPECT_TRUE(t.restart_after(3s));
  EXPECT_EQ(rig_.poll_at(at(1s)), 0u);
  EXPECT_EQ(t.cancel(), cancel_result::cancelled);
  EXPECT_EQ(census_.living(), 0);
  source_.request_stop();
}

// An earlier timer keeps next_deadline() from finding what was cancelled.
TEST_F(EngineStopToken, AStopGivesBackTheNodesOfWhatWasInserted) {
  engine_.schedule_after(1min, [] {});
  for (int round = 0; round < 100; ++round) {
    std::stop_source stop;
    for (int i = 0; i < 40; ++i) engine_.schedule_after(1h, stop.get_token(), counting());
    engine_.next_deadline();  // inserts them
    stop.request_stop();
    engine_.poll();
  }
  EXPECT_EQ(engine_.pending(), 1u);
  EXPECT_LT(detail::timer_access::index(engine_.schedule_after(1h, counting())), 512u);
}

TEST_F(EngineStopToken, ACallbackMayStopItself) {
  engine_.schedule_after(1s, source_.get_token(), [&](firing& run) {
    ++runs_;
    run.rearm_after(1s);
    if (runs_ == 2) source_.request_stop();
  });
  rig_.poll_all_at(at(1s));
  rig_.poll_all_at(at(2s));
  EXPECT_EQ(rig_.poll_all_at(at(9s)), 0u);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(engine_.metrics().expired, 1u);
}

TEST_F(EngineStopToken, TakesItsOptions) {
  for (const std::stop_token& stop : {source_.get_token(), std::stop_token()})
    engine_.schedule_after(1s, stop, counting(), {.max_lateness = 1s});
  EXPECT_EQ(rig_.poll_at(at(5s)), 0u);
  EXPECT_EQ(engine_.metrics().dropped, 2u);
  EXPECT_EQ(census_.living(), 0);
}

TEST_F(EngineStopToken, WhatIsRefusedLeavesNothingBehind) {
  engine_.stop();
  EXPECT_EQ(problem_of([&] { engine_.schedule_after(1s, source_.get_token(), counting()); }).code, errc::stopped);
  EXPECT_EQ(census_.living(), 0);
  source_.request_stop();
}

TEST_F(EngineStopToken, WhatStopGaveBackIgnoresItAndOutlivesTheEngine) {
  std::vector<unfired_timer> left;
  {
    virtual_engine other;
    other.engine.schedule_after(1s, source_.get_token(), counting());
    other.engine.schedule_after(1s, source_.get_token(), counting());
    left = other.engine.stop();
  }
  engine next({.manual = &rig_.clock});  // perhaps where the other was
  next.schedule_after(1h, [] {});
  ASSERT_EQ(left.size(), 2u);
  source_.request_stop();
  EXPECT_EQ(next.pending(), 1u);
  left.front().run();
  EXPECT_EQ(runs_, 1);
  left.clear();
  EXPECT_EQ(census_.living(), 0);
}

TEST_F(EngineStopToken, AnEngineThatEndsDestroysThem) {
  { engine({.manual = &rig_.clock}).schedule_after(1s, source_.get_token(), counting()); }
  EXPECT_EQ(census_.living(), 0);
  source_.request_stop();
}

TEST(EngineStopTokenRace, FireStopAndCancelMeet) {
  test::random_source random(test::new_seed());
  constexpr int rounds = 1000;
  std::atomic<int> runs{0};
  census captures;
  std::atomic<std::stop_source*> target{nullptr};
  engine e;
  std::jthread stopper([&](std::stop_token ending) {
    while (!ending.stop_requested()) {
      std::stop_source* source = target.load();
      if (source == nullptr) {
        std::this_thread::yield();
        continue;
      }
      source->request_stop();
      target = nullptr;
    }
  });
  for (int i = 0; i < rounds; ++i) {
    std::stop_source source;
    target = &source;
    timer t = e.schedule_after(duration(random.between(-10'000, 10'000)), source.get_token(),
                               [&, here = captures.join()] { runs.fetch_add(1); });
    if (i % 2 == 0) t.cancel();
    while (target.load() != nullptr) std::this_thread::yield();
  }
  EXPECT_TRUE(eventually([&] { return captures.living() == 0; }));
  e.stop();
  const engine_metrics seen = e.metrics();
  EXPECT_EQ(seen.scheduled, static_cast<std::uint64_t>(rounds));
  EXPECT_EQ(seen.expired + seen.cancelled, static_cast<std::uint64_t>(rounds));
  EXPECT_EQ(seen.fired, static_cast<std::uint64_t>(runs.load()));
}

}  // namespace
}  // namespace detent::drive
