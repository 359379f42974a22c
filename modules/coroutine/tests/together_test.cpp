// SPDX-License-Identifier: MIT
// Awaitables beside each other and beside a time limit, in virtual time.
#include <detent/detent.hpp>
#include <detent/when.hpp>
#include <detent/with_timeout.hpp>

#include <gtest/gtest.h>

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "support/coroutine_tasks.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"

namespace detent::drive {
namespace {

using testing::owned_task;

// Ends when it is told to, and cannot be asked to stop.
class gate {
 public:
  bool await_ready() const noexcept { return open_; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }
  int await_resume() {
    if (throws) throw std::runtime_error("gate");
    return 7;
  }
  void open() {
    open_ = true;
    if (waiting_) std::exchange(waiting_, nullptr).resume();
  }

  bool throws = false;

 private:
  bool open_ = false;
  std::coroutine_handle<> waiting_;
};

class CoroutineTogether : public in_virtual_time {};

TEST_F(CoroutineTogether, ATimeLimitAsksASleepToStopAndSaysSo) {
  std::optional<std::optional<bool>> ended;
  auto limited = [&](duration sleep) -> owned_task {
    ended = co_await with_timeout(engine_, 5ms, engine_.sleep_for(sleep));
  };
  owned_task slow = limited(1h);
  rig_.poll_all_at(at(5ms - 1ns));
  EXPECT_FALSE(ended);
  rig_.poll_all_at(at(5ms));
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, std::nullopt);
  EXPECT_EQ(engine_.pending(), 0u);

  ended.reset();
  owned_task quick = limited(2ms);
  rig_.poll_all_at(at(7ms));
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, true);
  EXPECT_EQ(engine_.pending(), 0u) << "the limit is cancelled";
}

TEST_F(CoroutineTogether, ATimeLimitWaitsForWhatCannotBeAsked) {
  gate way;
  std::optional<std::optional<int>> ended;
  auto limited = [&]() -> owned_task { ended = co_await with_timeout(engine_, 5ms, way); };
  owned_task task = limited();
  rig_.poll_all_at(at(1s));
  EXPECT_FALSE(ended);
  way.open();
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, std::nullopt);
}

TEST_F(CoroutineTogether, WhatEndsInTimeHasItsResultOrException) {
  gate way, bad;
  bad.throws = true;
  std::optional<int> ended;
  auto limited = [&](gate& by) -> owned_task { ended = co_await with_timeout(engine_, 5ms, by); };
  owned_task task = limited(way);
  way.open();
  EXPECT_EQ(ended, 7);
  owned_task failing = limited(bad);
  bad.open();
  EXPECT_THROW(std::rethrow_exception(failing.thrown()), std::runtime_error);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(CoroutineTogether, ATimeLimitAsksAFunctionByItsToken) {
  std::optional<std::optional<bool>> ended;
  auto limited = [&]() -> owned_task {
    ended = co_await with_timeout(engine_, 5ms, [&](std::stop_token stop) { return engine_.sleep_for(1h, stop); });
  };
  owned_task task = limited();
  rig_.poll_all_at(at(5ms));
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, std::nullopt);
}

TEST_F(CoroutineTogether, ATimeLimitOfNothingOrLessIsUpAtOnceAndAHugeOneNever) {
  int out_of_time = 0;
  bool in_time = false;
  auto limited = [&](duration limit) -> owned_task {
    const std::optional<bool> ended = co_await with_timeout(engine_, limit, engine_.sleep_for(1h));
    if (!ended) ++out_of_time;
    in_time = ended == true;
  };
  owned_task none = limited(0ns), negative = limited(-1h), least = limited((duration::min)());
  rig_.poll_all_at(at(1ns));
  EXPECT_EQ(out_of_time, 3);
  owned_task huge = limited((duration::max)());
  rig_.poll_all_at(at(2h));
  EXPECT_TRUE(in_time);
}

TEST_F(CoroutineTogether, ATimeLimitThatCannotBeArmedThrowsAndBeginsNothing) {
  engine other;
  label foreign = other.make_label("foreign");
  bool begun = false;
  auto limited = [&](timer_options options) -> owned_task {
    co_await with_timeout(engine_, 5ms, options, [&](std::stop_token stop) {
      begun = true;
      return engine_.sleep_for(1h, stop);
    });
  };
  owned_task labelled = limited({.label = foreign}), lane = limited({.lane = 9});
  EXPECT_TRUE(problem_of([&] { std::rethrow_exception(labelled.thrown()); }).names("label = \"foreign\""));
  EXPECT_TRUE(problem_of([&] { std::rethrow_exception(lane.thrown()); }).names("lane = 9"));
  engine_.stop();
  owned_task late = limited({});
  EXPECT_EQ(problem_of([&] { std::rethrow_exception(late.thrown()); }).code, errc::stopped);
  EXPECT_FALSE(begun);
}

TEST_F(CoroutineTogether, AFunctionThatIsNullIsRefusedBeforeAnythingBegins) {
  const std::function<sleep_awaiter(std::stop_token)> none;
  const auto refused = [](auto&& call) {
    const problem seen = problem_of(call);
    return seen.code == errc::invalid_option && seen.names("of = null: must be a function");
  };
  EXPECT_TRUE(refused([&] { static_cast<void>(with_timeout(engine_, 5ms, none)); }));
  EXPECT_TRUE(refused([&] { static_cast<void>(when_any(engine_.sleep_for(1h), none)); }));
  EXPECT_TRUE(refused([&] { static_cast<void>(when_all(none, engine_.sleep_for(1h))); }));
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(CoroutineTogether, ACoroutineThatIsDestroyedTakesItsLimitWithIt) {
  gate way;
  auto limited = [&]() -> owned_task { co_await with_timeout(engine_, 5ms, engine_.sleep_for(1h)); };
  auto gated = [&]() -> owned_task { co_await with_timeout(engine_, 5ms, way); };
  owned_task waits = limited(), late = gated();
  waits.destroy();
  EXPECT_EQ(engine_.pending(), 1u);
  rig_.poll_all_at(at(10ms));
  late.destroy();
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(CoroutineTogether, AllAreWaitedFor) {
  gate way;
  std::optional<std::tuple<bool, int, bool>> ended;
  auto all = [&]() -> owned_task { ended = co_await when_all(engine_.sleep_for(1ms), way, engine_.sleep_for(3ms)); };
  owned_task task = all();
  rig_.poll_all_at(at(5ms));
  EXPECT_FALSE(ended);
  way.open();
  EXPECT_EQ(ended, std::tuple(true, 7, true));
}

TEST_F(CoroutineTogether, OneThatThrowsHasTheOthersGiveUp) {
  gate bad;
  bad.throws = true;
  auto all = [&]() -> owned_task { co_await when_all(engine_.sleep_for(1h), bad); };
  owned_task task = all();
  bad.open();
  EXPECT_FALSE(task.done()) << "the sleep is waited for";
  rig_.poll_all_at(at(1ns));
  EXPECT_THROW(std::rethrow_exception(task.thrown()), std::runtime_error);
}

TEST_F(CoroutineTogether, TheFirstOfAnyHasTheOthersGiveUp) {
  std::size_t first = 9;
  std::optional<bool> winner, loser;
  auto any = [&]() -> owned_task {
    const auto ended = co_await when_any(engine_.sleep_for(1h), engine_.sleep_for(2ms));
    first = ended.index;
    loser = std::get<0>(ended.values);
    winner = std::get<1>(ended.values);
  };
  owned_task task = any();
  rig_.poll_all_at(at(2ms));
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(winner, true);
  EXPECT_EQ(loser, false);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(CoroutineTogether, AStopRequestHasAllGiveUp) {
  std::stop_source source, before;
  before.request_stop();
  std::optional<std::tuple<bool, bool>> ended, never_begun;
  auto all = [&](std::stop_token stop, std::optional<std::tuple<bool, bool>>& into) -> owned_task {
    into = co_await when_all(std::move(stop), engine_.sleep_for(1h), engine_.sleep_for(2h));
  };
  owned_task task = all(source.get_token(), ended), late = all(before.get_token(), never_begun);
  EXPECT_EQ(never_begun, std::tuple(false, false));
  source.request_stop();
  EXPECT_FALSE(ended) << "it goes on where the engine runs callbacks";
  rig_.poll_all_at(at(1ns));
  EXPECT_EQ(ended, std::tuple(false, false));
}

// The last one ends inside the request, and its coroutine continues there and ends the frame.
TEST_F(CoroutineTogether, AStopRequestThatEndsTheLastOneTouchesNothingAfterwards) {
  std::stop_source source;
  class hooked {
   public:
    explicit hooked(std::stop_token stop) : stop_(std::move(stop)) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      hook_.emplace(stop_, resumer{this});
    }
    void await_resume() noexcept {}
    hooked(hooked&& other) noexcept : stop_(std::move(other.stop_)) {}

   private:
    struct resumer {
      hooked* of;
      void operator()() const { of->waiting_.resume(); }
    };
    std::stop_token stop_;
    std::coroutine_handle<> waiting_;
    std::optional<std::stop_callback<resumer>> hook_;
  };
  bool went_on = false;
  auto ends = [](std::stop_token stop, bool& after) -> testing::free_task {
    const auto by_token = [](std::stop_token asked) { return hooked(std::move(asked)); };
    co_await when_all(std::move(stop), by_token, by_token);
    after = true;
  };
  ends(source.get_token(), went_on);
  source.request_stop();
  EXPECT_TRUE(went_on);
}

TEST_F(CoroutineTogether, TheyNest) {
  std::optional<bool> ended;
  auto nested = [&]() -> owned_task {
    const auto any = co_await with_timeout(
        engine_, 5ms,
        when_any(engine_.sleep_for(1h),
                 when_all(engine_.sleep_for(2h), with_timeout(engine_, 3h, engine_.sleep_for(4h)))));
    ended = any.has_value();
  };
  owned_task task = nested();
  rig_.poll_all_at(at(5ms));
  EXPECT_EQ(ended, false);
  EXPECT_EQ(engine_.pending(), 0u);
}

}  // namespace
}  // namespace detent::drive
