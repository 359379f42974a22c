// SPDX-License-Identifier: MIT
// stop(): what it returns, what it waits for, what remains possible afterwards.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::bystander;
using testing::census;
using testing::eventually;

TEST(EngineStop, ReturnsExactlyWhatNeitherRanNorWasCancelled) {
  manual_clock clk;
  engine e({.manual = &clk});
  e.schedule_after(1s, [] {});
  timer cancelled = e.schedule_after(5s, [] {});
  std::vector<timer> expected{e.schedule_after(5s, [] {}), e.schedule_after(6s, [] {}),
                              e.schedule_at_fixed_rate(0s, 1s, [] {})};
  clk.advance(1s);
  e.poll();
  cancelled.cancel();
  expected.push_back(e.schedule_after(0s, [] {}));  // not accepted yet
  std::vector<timer> returned;
  for (const unfired_timer& each : e.stop()) returned.push_back(each.handle);
  std::sort(expected.begin(), expected.end());
  std::sort(returned.begin(), returned.end());
  EXPECT_EQ(returned, expected);
}

TEST(EngineStop, MakesEveryHandleGone) {
  manual_clock clk;
  engine e({.manual = &clk});
  timer t = e.schedule_after(5s, [] {});
  timer periodic = e.schedule_at_fixed_rate(5s, 5s, [] {});
  std::vector<unfired_timer> left = e.stop();
  for (timer each : {t, periodic, left[0].handle}) {
    EXPECT_FALSE(each.pending());
    EXPECT_FALSE(each.restart_after(1s));
    EXPECT_EQ(each.cancel(), cancel_result::gone);
    EXPECT_EQ(each.cancel_and_wait(), cancel_result::gone);
  }
}

TEST(EngineStop, CountsWhatItReturnsAndLeavesNothingPending) {
  manual_clock clk;
  engine e({.manual = &clk});
  for (int i = 0; i < 3; ++i) e.schedule_after(5s, [] {});
  std::vector<unfired_timer> left = e.stop();
  EXPECT_EQ(e.pending(), 0u);
  EXPECT_EQ(e.metrics().returned, 3u);
  EXPECT_EQ(e.metrics().pending, 0u);
}

TEST(EngineStop, MayBeCalledAgain) {
  manual_clock clk;
  engine e({.manual = &clk});
  e.schedule_after(5s, [] {});
  EXPECT_EQ(e.stop().size(), 1u);
  EXPECT_TRUE(e.stop().empty());
  failure problem(errc::stopped);
  EXPECT_TRUE(e.try_stop(problem).empty());
  EXPECT_FALSE(problem);
}

TEST(EngineStop, WorksBeforeAnythingWasScheduled) {
  engine e;
  EXPECT_FALSE(e.stopped());
  EXPECT_TRUE(e.stop().empty());
  EXPECT_TRUE(e.stopped());
  EXPECT_FALSE(e.try_schedule_after(0s, [] {}));
}

TEST(EngineStop, HasScheduleRefuseWithACodeOfItsOwnAndCountNothing) {
  manual_clock clk;
  engine e({.name = "ended", .manual = &clk});
  e.schedule_after(5s, [] {});
  std::vector<unfired_timer> left = e.stop();
  census callables;
  auto refused = [&](auto&& call) {
    try {
      call();
      return false;
    } catch (const error& problem) {
      return problem.code() == errc::stopped && std::string(problem.what()).find("ended") != std::string::npos;
    }
  };
  EXPECT_TRUE(refused([&] { e.schedule_at(time_point(1s), bystander<0>{callables.join()}); }));
  EXPECT_TRUE(refused([&] { e.schedule_after(1s, bystander<100>{callables.join()}); }));
  EXPECT_TRUE(refused([&] { e.schedule_at_fixed_rate(1s, 1s, bystander<0>{callables.join()}); }));
  EXPECT_TRUE(refused([&] { e.schedule_with_fixed_delay(1s, 1s, bystander<0>{callables.join()}); }));
  EXPECT_FALSE(e.try_schedule_at(time_point(1s), bystander<0>{callables.join()}));
  EXPECT_EQ(callables.living(), 0);
  EXPECT_EQ(e.pending(), 0u);
  EXPECT_EQ(e.metrics().scheduled, 1u);
}

TEST(EngineStop, IsRefusedInACallbackWhichChangesNothing) {
  manual_clock clk;
  engine e({.manual = &clk});
  std::error_code thrown;
  failure reported;
  e.schedule_after(1s, [&] {
    try {
      e.stop();
    } catch (const error& problem) {
      thrown = problem.code();
    }
    EXPECT_TRUE(e.try_stop(reported).empty());
  });
  bool later = false;
  e.schedule_after(2s, [&] { later = true; });
  clk.advance(2s);
  e.poll();
  EXPECT_EQ(thrown, errc::called_from_callback);
  EXPECT_EQ(reported, errc::called_from_callback);
  EXPECT_FALSE(e.stopped());
  EXPECT_TRUE(later);
}

TEST(EngineStop, IsRefusedOnAPoolThreadWhichChangesNothing) {
  engine e({.executor = std::make_shared<thread_pool>()});
  std::atomic<bool> refused{false}, later{false};
  e.schedule_after(0s, [&] {
    failure problem;
    e.try_stop(problem);
    refused = problem == errc::called_from_callback;
    e.schedule_after(0s, [&] { later = true; });
  });
  EXPECT_TRUE(eventually([&] { return later.load(); }));
  EXPECT_TRUE(refused);
}

TEST(EngineStop, IsAllowedInACallbackOfAnotherEngine) {
  manual_clock clk;
  engine e({.manual = &clk}), other({.manual = &clk});
  e.schedule_after(5s, [] {});
  std::size_t returned = 0;
  other.schedule_after(0s, [&] { returned = e.stop().size(); });
  other.poll();
  EXPECT_EQ(returned, 1u);
}

}  // namespace
}  // namespace detent
