// SPDX-License-Identifier: MIT
// detent::scheduler among the algorithms of NVIDIA's stdexec.
#include <detent/detent.hpp>
#include <detent/sender_timeout.hpp>
#include <detent/senders.hpp>

#include <stdexec/execution.hpp>

#include <exec/async_scope.hpp>
#include <exec/single_thread_context.hpp>
#include <exec/task.hpp>
#include <exec/timed_scheduler.hpp>
#include <exec/when_any.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
namespace ex = stdexec;

static_assert(ex::scheduler<scheduler>);
static_assert(exec::timed_scheduler<scheduler>);
static_assert(ex::sender<decltype(std::declval<scheduler>().schedule_after(1ms))>);

class SendersStdexec : public ::testing::Test {
 protected:
  engine engine_;
  const scheduler on_{engine_};
};

TEST_F(SendersStdexec, WaitsForAllAndForAny) {
  const auto from = clock::now();
  ex::sync_wait(ex::when_all(on_.schedule_after(2ms), on_.schedule_after(4ms)));
  EXPECT_GE(clock::now() - from, 4ms);
  auto first = ex::sync_wait(exec::when_any(on_.schedule_after(1ms) | ex::then([] { return 1; }),
                                            on_.schedule_after(1h) | ex::then([] { return 2; })));
  ASSERT_TRUE(first);
  EXPECT_EQ(std::get<0>(*first), 1);
  EXPECT_EQ(engine_.pending(), 0u);
}

exec::task<int> sleeper(scheduler on) {
  co_await on.schedule_after(1ms);
  co_return 7;
}

TEST_F(SendersStdexec, IsAwaitedByATask) {
  auto slept = ex::sync_wait(sleeper(on_));
  ASSERT_TRUE(slept);
  EXPECT_EQ(std::get<0>(*slept), 7);
}

TEST_F(SendersStdexec, TakesWorkThereAndBack) {
  auto there = ex::sync_wait(ex::starts_on(on_, ex::just(3)));
  ASSERT_TRUE(there);
  auto goes_on =
      ex::sync_wait(ex::just() | ex::continues_on(on_) | ex::then([] { return std::this_thread::get_id(); }));
  ASSERT_TRUE(goes_on);
  EXPECT_NE(std::get<0>(*goes_on), std::this_thread::get_id());
  exec::single_thread_context other;
  auto away = ex::sync_wait(on_.schedule_after(1ms) | ex::continues_on(other.get_scheduler()) |
                            ex::then([] { return std::this_thread::get_id(); }));
  ASSERT_TRUE(away);
  EXPECT_EQ(std::get<0>(*away), other.get_thread_id());
}

TEST_F(SendersStdexec, IsScheduledByTheNamesOfTimedSchedulers) {
  const auto from = exec::now(on_);
  EXPECT_TRUE(ex::sync_wait(exec::schedule_after(on_, 1ms)));
  EXPECT_TRUE(ex::sync_wait(exec::schedule_at(on_, from + 2ms)));
  EXPECT_GE(exec::now(on_), from + 2ms);
}

TEST_F(SendersStdexec, EndsInAScopeThatIsStopped) {
  exec::async_scope scope;
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i)
    scope.spawn(on_.schedule_after(std::chrono::microseconds(i)) | ex::then([&] { ++ran; }) |
                ex::upon_error([](auto&&) noexcept {}));
  while (ran != 100) std::this_thread::yield();
  scope.spawn(on_.schedule_after(1h) | ex::upon_error([](auto&&) noexcept {}));
  scope.request_stop();
  ex::sync_wait(scope.on_empty());
  EXPECT_EQ(engine_.pending(), 0u);
}

std::error_code problem_of(auto&& sender) {
  try {
    ex::sync_wait(std::forward<decltype(sender)>(sender));
  } catch (const std::system_error& problem) {
    return problem.code();
  }
  return {};
}

TEST_F(SendersStdexec, ADropIsAnErrorAndAStopIsNone) {
  auto refuses = std::make_shared<testing::moody_executor>();
  refuses->refuse = true;
  engine dropping({.executor = refuses, .on_refusal = refusal_policy::drop});
  EXPECT_EQ(problem_of(scheduler(dropping).schedule_after(1ms)), errc::dropped);
  dropping.stop();
  EXPECT_FALSE(ex::sync_wait(scheduler(dropping).schedule_after(1ms)));
}

TEST_F(SendersStdexec, HasItsOptions) {
  const label counted = engine_.make_label("sender");
  EXPECT_TRUE(ex::sync_wait(ex::schedule(scheduler(engine_, {.label = counted}))));
  EXPECT_EQ(engine_.metrics(counted).fired, 1u);
  EXPECT_EQ(problem_of(on_.schedule_after(1ms, {.lane = 9})), errc::invalid_option);
}

TEST_F(SendersStdexec, WhatEndsInTimeCompletesAsWithoutALimit) {
  auto in_time = ex::sync_wait(timeout(on_.schedule_after(1ms) | ex::then([] { return 3; }), on_, 1h));
  ASSERT_TRUE(in_time);
  EXPECT_EQ(std::get<0>(*in_time), 3);
  engine stopped;
  stopped.stop();
  EXPECT_FALSE(ex::sync_wait(timeout(scheduler(stopped).schedule_after(1ms), on_, 1h)));
  EXPECT_EQ(problem_of(timeout(on_.schedule_after(1ms, {.lane = 9}), on_, 1h)), errc::invalid_option);
  EXPECT_EQ(engine_.pending(), 0u) << "the limits are cancelled";
}

TEST_F(SendersStdexec, WhatHasNoTimeLeftIsStoppedAndWaitedFor) {
  EXPECT_EQ(problem_of(timeout(on_.schedule_after(1h), on_, 2ms)), std::errc::timed_out);
  EXPECT_EQ(problem_of(timeout(timeout(on_.schedule_after(1h), on_, 1h), on_, -1h)), std::errc::timed_out);
  EXPECT_EQ(engine_.pending(), 0u);
  std::atomic<bool> over{false};
  manual_clock clock;
  engine limits({.manual = &clock});
  auto slow = on_.schedule() | ex::then([&] {
                clock.advance(1ms);
                limits.poll();
                over = true;
              });
  EXPECT_EQ(problem_of(timeout(slow, scheduler(limits), 1ms)), std::errc::timed_out);
  EXPECT_TRUE(over) << "one that does not hear of a stop";
}

TEST_F(SendersStdexec, AStopFromOutsideGoesThroughALimit) {
  exec::async_scope scope;
  scope.spawn(timeout(on_.schedule_after(1h), on_, 2h) | ex::upon_error([](auto&&) noexcept {}));
  scope.request_stop();
  ex::sync_wait(scope.on_empty());
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(SendersStdexec, ALimitThatIsLostOrCannotBeHadSaysSo) {
  auto refuses = std::make_shared<testing::moody_executor>();
  refuses->refuse = true;
  engine dropping({.executor = refuses, .on_refusal = refusal_policy::drop});
  EXPECT_EQ(problem_of(timeout(on_.schedule_after(1h), scheduler(dropping), 1ms)), errc::dropped);
  engine full({.max_pending = 1});
  full.schedule_after(1h, [] {});
  EXPECT_EQ(problem_of(timeout(on_.schedule_after(1h), scheduler(full), 1ms)), errc::capacity_exceeded);
  full.stop();
  EXPECT_FALSE(ex::sync_wait(timeout(on_.schedule_after(1h), scheduler(full), 1ms)));
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(SendersStdexec, LimitsAndWhatTheyLimitEndTogether) {
  engine limits;
  int in_time = 0, too_late = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::error_code problem =
        problem_of(timeout(on_.schedule_after(duration(i % 7 * 3000)), scheduler(limits), 10us));
    ++(problem ? too_late : in_time);
  }
  EXPECT_EQ(in_time + too_late, 1000);
  EXPECT_EQ(limits.pending() + engine_.pending(), 0u);
}

}  // namespace
}  // namespace detent
