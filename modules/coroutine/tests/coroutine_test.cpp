// SPDX-License-Identifier: MIT
// A coroutine's sleep in virtual time: when it ends, how, and where.
#include <detent/detent.hpp>
#include <detent/interval.hpp>
#include <detent/with_timeout.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <type_traits>

#include "support/coroutine_tasks.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent::drive {
namespace {

using testing::owned_task;
using testing::rethrowing_task;

static_assert(std::is_same_v<decltype(std::declval<engine&>().sleep_for(1s)), engine::sleep_awaiter>);
static_assert(!std::is_move_constructible_v<engine::sleep_awaiter>);

owned_task sleep_once(engine& e, duration d, std::optional<bool>& elapsed, std::stop_token token = {}) {
  elapsed = co_await e.sleep_for(d, std::move(token));
}
owned_task sleep_until(engine& e, time_point t, std::optional<bool>& elapsed, std::stop_token token = {}) {
  elapsed = co_await e.sleep_until(t, std::move(token));
}

class CoroutineSleep : public ::testing::Test {
 protected:
  virtual_engine rig_;
  manual_clock& clock_ = rig_.clock;
  engine& engine_ = rig_.engine;
  std::optional<bool> elapsed_;
};

TEST_F(CoroutineSleep, EndsAtItsDeadlineAndNotBefore) {
  std::optional<bool> second;
  owned_task one = sleep_once(engine_, 5s, elapsed_), two = sleep_until(engine_, at(6s), second);
  EXPECT_EQ(engine_.next_deadline(), at(5s));
  EXPECT_EQ(rig_.poll_at(at(5s) - 1ns), 0u);
  EXPECT_FALSE(elapsed_);
  EXPECT_EQ(rig_.poll_at(at(5s)), 1u);
  EXPECT_EQ(elapsed_, true);
  EXPECT_TRUE(one.done());
  EXPECT_EQ(rig_.poll_at(at(6s)), 1u);
  EXPECT_EQ(second, true);
  EXPECT_EQ(engine_.metrics().expired, 2u);
}

TEST_F(CoroutineSleep, OfNoLengthEndsOnTheEngineToo) {
  owned_task task = sleep_once(engine_, -1s, elapsed_);
  EXPECT_FALSE(elapsed_);
  EXPECT_EQ(engine_.poll(), 1u);
  EXPECT_EQ(elapsed_, true);
}

TEST_F(CoroutineSleep, KeepsTheOrderOfArmingAmongTimers) {
  auto log = [this](int id) -> owned_task {
    co_await engine_.sleep_for(1s);
    rig_.fired.push_back(id);
  };
  owned_task one = log(1);
  engine_.schedule_after(1s, rig_.note(2));
  owned_task three = log(3);
  rig_.poll_at(at(1s));
  EXPECT_EQ(rig_.fired, (ids{1, 2, 3}));
}

TEST_F(CoroutineSleep, OneAwaiterServesAgain) {
  int wakes = 0;
  auto twice = [&]() -> owned_task {
    auto sleep = engine_.sleep_until(at(3s));
    if (co_await sleep) ++wakes;
    if (co_await sleep) ++wakes;  // long past
  };
  owned_task task = twice();
  EXPECT_EQ(rig_.poll_all_at(at(3s)), 2u);
  EXPECT_EQ(wakes, 2);
}

TEST_F(CoroutineSleep, IsNotBegunWhenStopWasRequestedBefore) {
  std::stop_source source;
  source.request_stop();
  std::optional<bool> second;
  owned_task one = sleep_once(engine_, 1h, elapsed_, source.get_token());
  owned_task two = sleep_until(engine_, at(1h), second, source.get_token());
  EXPECT_EQ(elapsed_, false);
  EXPECT_EQ(second, false);
  EXPECT_TRUE(one.done() && two.done());
  EXPECT_EQ(engine_.metrics().scheduled, 0u);
}

TEST_F(CoroutineSleep, EndsEarlyByAStopAndOnTheEngine) {
  std::stop_source source;
  std::optional<bool> second;
  owned_task one = sleep_once(engine_, 1h, elapsed_, source.get_token());
  owned_task two = sleep_until(engine_, at(1h), second, source.get_token());
  source.request_stop();
  EXPECT_FALSE(elapsed_ || second) << "resumed by the thread that asked for the stop";
  EXPECT_EQ(engine_.next_deadline(), clock_.now());
  EXPECT_EQ(engine_.poll(), 2u);
  EXPECT_EQ(elapsed_, false);
  EXPECT_EQ(second, false);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(CoroutineSleep, EndsEarlyByAStopHoweverCoarseTheTick) {
  virtual_engine coarse({.tick = 1h}, at(90min));
  std::stop_source source;
  owned_task task = sleep_once(coarse.engine, 24h, elapsed_, source.get_token());
  source.request_stop();
  EXPECT_EQ(coarse.engine.poll(), 1u);
  EXPECT_EQ(elapsed_, false);
  EXPECT_LT(coarse.engine.metrics().lateness.max(), 1h);
}

TEST_F(CoroutineSleep, IgnoresAStopThatComesAfter) {
  std::stop_source source;
  owned_task task = sleep_once(engine_, 1s, elapsed_, source.get_token());
  rig_.poll_at(at(1s));
  source.request_stop();
  EXPECT_EQ(elapsed_, true);
  EXPECT_EQ(engine_.poll(), 0u);
}

TEST_F(CoroutineSleep, IsCancelledWithItsFrame) {
  std::stop_source source;
  owned_task plain = sleep_once(engine_, 1s, elapsed_);
  owned_task stoppable = sleep_once(engine_, 1s, elapsed_, source.get_token());
  plain.destroy();
  stoppable.destroy();
  EXPECT_EQ(engine_.pending(), 0u);
  EXPECT_EQ(engine_.metrics().cancelled, 2u);
  source.request_stop();
  EXPECT_EQ(rig_.poll_at(at(2s)), 0u);
  EXPECT_FALSE(elapsed_);
}

TEST_F(CoroutineSleep, IsCancelledByACallbackOfTheSameInstant) {
  owned_task victim;
  engine_.schedule_after(1s, [&] { victim.destroy(); });
  victim = sleep_once(engine_, 1s, elapsed_);
  EXPECT_EQ(rig_.poll_at(at(1s)), 1u);
  EXPECT_FALSE(elapsed_);
}

TEST_F(CoroutineSleep, HandsExceptionsToItsCoroutineAndOnToOnError) {
  auto throws = [this]() -> owned_task {
    co_await engine_.sleep_for(1s);
    throw std::runtime_error("owned");
  };
  owned_task task = throws();
  rig_.poll_at(at(1s));
  EXPECT_THROW(std::rethrow_exception(task.thrown()), std::runtime_error);
  EXPECT_EQ(engine_.metrics().failed, 0u);

  int reported = 0;
  virtual_engine other({.on_error = [&](std::exception_ptr) { ++reported; }});
  auto rethrows = [&other]() -> rethrowing_task {
    co_await other.engine.sleep_for(1s);
    throw std::runtime_error("nobody's");
  };
  rethrowing_task loud = rethrows();
  EXPECT_EQ(other.poll_at(at(1s)), 1u);
  EXPECT_EQ(reported, 1);
  EXPECT_EQ(other.engine.metrics().failed, 1u);
}

TEST_F(CoroutineSleep, ThrowsWhereNoTimerCanBeHad) {
  virtual_engine small({.max_pending = 1});
  owned_task fits = sleep_once(small.engine, 1s, elapsed_), beyond = sleep_once(small.engine, 1s, elapsed_);
  problem full = problem_of([&] { std::rethrow_exception(beyond.thrown()); });
  EXPECT_EQ(full.code, errc::capacity_exceeded);
  EXPECT_TRUE(full.names("max_pending = 1"));
  fits.destroy();
  EXPECT_EQ(small.engine.pending(), 0u);

  engine_.stop();
  owned_task late = sleep_once(engine_, 1s, elapsed_);
  EXPECT_EQ(problem_of([&] { std::rethrow_exception(late.thrown()); }).code, errc::stopped);
  EXPECT_FALSE(elapsed_);
}

TEST_F(CoroutineSleep, RefusesOptionsThatCannotBeMetAndArmsNothing) {
  const auto own = std::make_shared<testing::holding_executor>();
  virtual_engine other({.executors = {own}});
  auto sleeper = [this](timer_options options, int form) -> owned_task {
    interval every(
        engine_, 1s,
        {.label = options.label, .lane = options.lane, .slack = options.slack, .executor = options.executor});
    if (form == 0) co_await engine_.sleep_for(1s, options);
    if (form == 1) co_await engine_.sleep_until(time_point(1s), options);
    if (form == 2) co_await every.next();
    if (form == 3) co_await with_timeout(engine_, 1s, options, engine_.sleep_for(1s));
  };
  const auto refuses = [&](const timer_options& options, const char* text) {
    for (int form = 0; form != 4; ++form) {
      owned_task refused = sleeper(options, form);
      const problem seen = problem_of([&] { std::rethrow_exception(refused.thrown()); });
      EXPECT_EQ(seen.code, errc::invalid_option);
      EXPECT_TRUE(seen.names(text)) << seen.what;
      EXPECT_EQ(engine_.pending(), 0u) << text << ", form " << form;
    }
  };
  refuses({.lane = 9}, "lane = 9: must be 0 to 3");
  refuses({.slack = -1ns}, "slack = -1 ns");
  refuses({.label = other.engine.make_label("foreign")}, "label = \"foreign\": belongs to another engine");
  refuses({.executor = own.get()}, "executor: not one of this engine's");
}

}  // namespace
}  // namespace detent::drive
