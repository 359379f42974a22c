// SPDX-License-Identifier: MIT
// Coroutines that sleep as members of a group.
#include <detent/detent.hpp>
#include <detent/interval.hpp>
#include <detent/when.hpp>
#include <detent/with_timeout.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/coroutine_tasks.hpp"
#include "support/drive_problem.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::owned_task;

class CoroutineGroup : public ::testing::Test {
 protected:
  owned_task sleep(duration length, std::stop_token stop = {}) {
    const bool elapsed = co_await group_->sleep_for(length, std::move(stop));
    ++(elapsed ? elapsed_ : stopped_);
  }
  void run_until(duration at) { clock_.run_until(time_point(at), engine_); }
  static std::error_code code_of(const owned_task& task) {
    if (task.thrown() == nullptr) return {};
    return drive::problem_of([&] { std::rethrow_exception(task.thrown()); }).code;
  }

  manual_clock clock_;
  engine engine_{engine_options{.manual = &clock_}};
  std::optional<timer_group> group_{std::in_place, engine_};
  int elapsed_ = 0, stopped_ = 0;
};

TEST_F(CoroutineGroup, ASleepIsPausedAndResumedWithTheOthers) {
  owned_task task = sleep(10ms);
  EXPECT_EQ(group_->pending(), 1u);
  run_until(4ms);
  group_->pause();
  run_until(1s);
  EXPECT_EQ(elapsed_, 0);
  group_->resume();
  run_until(1s + 6ms - 1ns);
  EXPECT_EQ(elapsed_, 0);
  run_until(1s + 6ms);
  EXPECT_EQ(elapsed_, 1);
}

TEST_F(CoroutineGroup, ACancelledGroupEndsItsSleepsByAnError) {
  owned_task first = sleep(10ms), second = sleep(20ms);
  group_->cancel_all();
  run_until(1ms);
  EXPECT_EQ(code_of(first), errc::dropped);
  EXPECT_EQ(code_of(second), errc::dropped);
  owned_task third = sleep(10ms);
  group_.reset();
  run_until(2ms);
  EXPECT_EQ(code_of(third), errc::dropped);
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(CoroutineGroup, ASleepMayBeBegunWhenItsGroupHasGone) {
  const auto late = [&]() -> owned_task {
    auto sleep = group_->sleep_for(1ms);
    group_.reset();
    const bool elapsed = co_await sleep;
    elapsed_ += elapsed ? 1 : 0;
  };
  owned_task task = late();
  EXPECT_EQ(code_of(task), errc::stopped);
  EXPECT_EQ(elapsed_, 0);
}

TEST_F(CoroutineGroup, AStopRequestWaitsForTheGroupToBeResumed) {
  std::stop_source source;
  owned_task task = sleep(1h, source.get_token());
  group_->pause();
  run_until(1ms);
  source.request_stop();
  run_until(2ms);
  EXPECT_EQ(stopped_, 0);
  group_->resume();
  run_until(3ms);
  EXPECT_EQ(stopped_, 1);
}

TEST_F(CoroutineGroup, ItsOptionsReachTheTimer) {
  const label counted = engine_.make_label("sleeps");
  const auto labelled = [&]() -> owned_task {
    co_await group_->sleep_for(1ms, {.label = counted});
    co_await group_->sleep_until(time_point(2ms), {.label = counted});
  };
  owned_task task = labelled();
  run_until(2ms);
  EXPECT_EQ(engine_.metrics(counted).fired, 2u);
  const auto wrong = [&]() -> owned_task { co_await group_->sleep_for(1ms, {.lane = 9}); };
  owned_task refused = wrong();
  EXPECT_EQ(code_of(refused), errc::invalid_option);
  EXPECT_EQ(group_->pending(), 0u);
}

TEST_F(CoroutineGroup, LimitsIntervalsAndBranchesAreMembersToo) {
  std::string ended;
  const auto limited = [&]() -> owned_task {
    const auto in_time = co_await with_timeout(*group_, 5ms, engine_.sleep_for(1h));
    if (!in_time) ended += "limit ";
    interval every(*group_, 10ms);
    co_await every.next();
    ended += "interval ";
    const auto first = co_await when_any(group_->sleep_for(10ms), engine_.sleep_for(1h));
    if (first.index == 0) ended += "branch";
  };
  owned_task task = limited();
  const auto pause_for_a_second = [&] {
    EXPECT_EQ(group_->pending(), 1u);
    group_->pause();
    clock_.run_for(1s, engine_);
    group_->resume();
  };
  pause_for_a_second();
  EXPECT_EQ(ended, "");
  clock_.run_for(5ms, engine_);
  pause_for_a_second();
  EXPECT_EQ(ended, "limit ");
  clock_.run_for(10ms, engine_);
  pause_for_a_second();
  EXPECT_EQ(ended, "limit interval ");
  clock_.run_for(10ms, engine_);
  EXPECT_EQ(ended, "limit interval branch");
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(CoroutineGroup, ACancelledGroupLosesItsLimits) {
  const auto limited = [&]() -> owned_task {
    static_cast<void>(co_await with_timeout(*group_, 5ms, engine_.sleep_for(1h)));
  };
  owned_task task = limited();
  group_->cancel_all();
  run_until(1ms);
  EXPECT_EQ(code_of(task), errc::dropped);
  EXPECT_EQ(engine_.pending(), 0u) << "what it limits is stopped";
}

// Notes the tags of its timers, and how often it is asked whether it keeps order.
class ordered_executor final : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    tags.push_back(work.tag());
    work();
    return true;
  }
  bool keeps_order() const noexcept override {
    ++asked;
    return true;
  }
  std::vector<std::uint64_t> tags;
  mutable int asked = 0;
};

TEST_F(CoroutineGroup, SleepsOnItsExecutorAreKeptApart) {
  const auto ordered = std::make_shared<ordered_executor>();
  engine with_executor({.manual = &clock_, .executors = {ordered}});
  timer_group group(with_executor, ordered.get());
  const auto sleeper = [&]() -> owned_task { co_await group.sleep_for(1ms); };
  owned_task first = sleeper(), second = sleeper();
  clock_.run_until(time_point(1ms), with_executor);
  ASSERT_EQ(ordered->tags.size(), 2u);
  EXPECT_NE(ordered->tags[0], 0u);
  EXPECT_NE(ordered->tags[0], ordered->tags[1]);
}

// The engine may end on another thread while a coroutine begins to sleep, and an executor may end with it.
TEST_F(CoroutineGroup, ASleepThatBeginsDoesNotTouchTheExecutor) {
  const auto own = std::make_shared<ordered_executor>(), of_group = std::make_shared<ordered_executor>();
  engine with_executors({.manual = &clock_, .executor = own, .executors = {of_group}});
  timer_group group(with_executors, of_group.get());
  const auto sleeper = [&]() -> owned_task {
    co_await with_executors.sleep_for(1ms);
    co_await group.sleep_for(1ms);
  };
  owned_task sleeps = sleeper();
  clock_.run_until(time_point(3ms), with_executors);
  EXPECT_TRUE(sleeps.done());
  EXPECT_EQ(own->asked, 1);
  EXPECT_EQ(of_group->asked, 1);
}

}  // namespace
}  // namespace detent
