// SPDX-License-Identifier: MIT
#include <detent/manual_clock.hpp>
#include <detent/senders.hpp>

#include <gtest/gtest.h>

#include "noted_receiver.hpp"
#include "support/engine_executors.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace detent::testing {
namespace {

using namespace std::chrono_literals;

static_assert(ex::scheduler<scheduler>);
static_assert(ex::sender<decltype(std::declval<scheduler>().schedule_after(1ms))>);
static_assert(ex::operation_state<operation_of<>>);
static_assert(ex::operation_state<operation_of<ex::stoppable_token>>);

class SendersScheduler : public ::testing::Test {
 protected:
  void run_until(duration at) {
    clock_.advance_to(time_point(at));
    engine_.poll();
  }

  manual_clock clock_;
  engine engine_{engine_options{.manual = &clock_, .max_pending = 2}};
  const scheduler scheduler_{engine_};
  note note_;
  std::stop_source source_;
};

TEST_F(SendersScheduler, CompletesAtItsTimeWithAValue) {
  auto operation = connect(scheduler_.schedule_at(time_point(10ms)), note_);
  EXPECT_EQ(engine_.pending(), 0u);
  ex::start(operation);
  run_until(10ms - 1ns);
  EXPECT_EQ(note_.how(), outcome::none);
  run_until(10ms);
  EXPECT_EQ(note_.how(), outcome::value);
}

TEST_F(SendersScheduler, CountsADelayFromStart) {
  auto operation = connect(scheduler_.schedule_after(10ms), note_);
  run_until(100ms);
  EXPECT_EQ(scheduler_.now(), time_point(100ms));
  ex::start(operation);
  run_until(110ms - 1ns);
  EXPECT_EQ(note_.how(), outcome::none);
  run_until(110ms);
  EXPECT_EQ(note_.how(), outcome::value);
}

TEST_F(SendersScheduler, SchedulesForNowInTheEnginesOwnTime) {
  auto operation = connect(ex::schedule(scheduler_), note_);
  ex::start(operation);
  EXPECT_EQ(note_.how(), outcome::none) << "never inside start()";
  engine_.poll();
  EXPECT_EQ(note_.how(), outcome::value);
}

TEST_F(SendersScheduler, NamesItselfAsWhatCompletes) {
  const auto query = ex::get_completion_scheduler<ex::set_value_t>;
  EXPECT_EQ(query(ex::get_env(scheduler_.schedule_after(1s))), scheduler_);
  engine other;
  EXPECT_NE(scheduler(other), scheduler_);
}

TEST_F(SendersScheduler, IsStoppedAtOnceByItsToken) {
  auto operation = connect(scheduler_.schedule_after(10ms), note_, token_of(source_));
  ex::start(operation);
  run_until(5ms);
  EXPECT_EQ(engine_.pending(), 1u);
  source_.request_stop();
  EXPECT_EQ(note_.how(), outcome::stopped);
  EXPECT_EQ(engine_.pending(), 0u);
  run_until(20ms);
  EXPECT_EQ(note_.times(), 1);
}

TEST_F(SendersScheduler, WithATokenThatIsNotUsedCompletesAtItsTime) {
  auto operation = connect(scheduler_.schedule_after(10ms), note_, token_of(source_));
  ex::start(operation);
  run_until(10ms - 1ns);
  EXPECT_EQ(note_.how(), outcome::none);
  run_until(10ms);
  EXPECT_EQ(note_.how(), outcome::value);
  source_.request_stop();
  EXPECT_EQ(note_.times(), 1);
}

TEST_F(SendersScheduler, SchedulesNothingForATokenThatHasBeenStopped) {
  source_.request_stop();
  auto operation = connect(scheduler_.schedule_after(10ms), note_, token_of(source_));
  ex::start(operation);
  EXPECT_EQ(note_.how(), outcome::stopped);
  EXPECT_EQ(engine_.metrics().scheduled, 0u);
}

TEST_F(SendersScheduler, IsStoppedByTheEndOfTheEngine) {
  auto ending = std::make_unique<engine>();
  const scheduler on(*ending);
  note with_token;
  auto operation = connect(on.schedule_after(1h), note_);
  auto stoppable = connect(on.schedule_after(1h), with_token, token_of(source_));
  ex::start(operation);
  ex::start(stoppable);
  ending.reset();
  EXPECT_EQ(note_.how(), outcome::stopped);
  EXPECT_EQ(with_token.how(), outcome::stopped);
  source_.request_stop();  // must reach no operation
  EXPECT_EQ(with_token.times(), 1);
}

TEST_F(SendersScheduler, GivesItsOptionsToItsTimers) {
  const label counted = engine_.make_label("sender");
  const scheduler with_label(engine_, {.label = counted});
  EXPECT_NE(with_label, scheduler_);
  EXPECT_EQ(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(with_label.schedule_after(1s))), with_label);
  note by_call;
  auto operation = connect(with_label.schedule_after(10ms), note_, token_of(source_));
  auto other = connect(scheduler_.schedule_at(time_point(10ms), {.label = counted}), by_call);
  ex::start(operation);
  ex::start(other);
  run_until(10ms);
  EXPECT_EQ(note_.how(), outcome::value);
  EXPECT_EQ(by_call.how(), outcome::value);
  EXPECT_EQ(engine_.metrics(counted).fired, 2u);
}

TEST_F(SendersScheduler, RefusesOptionsThatCannotBeMet) {
  const auto own = std::make_shared<holding_executor>();
  engine other({.executors = {own}});
  for (const timer_options& bad :
       {timer_options{.lane = 9}, timer_options{.slack = -1ns}, timer_options{.label = other.make_label("other")},
        timer_options{.executor = own.get()}}) {
    note refused;
    auto operation = connect(scheduler_.schedule_after(10ms, bad), refused);
    ex::start(operation);
    EXPECT_EQ(refused.how(), outcome::error);
    EXPECT_EQ(refused.problem(), errc::invalid_option);
  }
  EXPECT_EQ(engine_.pending(), 0u);
}

TEST_F(SendersScheduler, SchedulesMembersOfAGroup) {
  timer_group group(engine_);
  const scheduler on(group);
  EXPECT_NE(on, scheduler_);
  EXPECT_EQ(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(on.schedule())), on);
  auto operation = connect(on.schedule_after(10ms), note_, token_of(source_));
  ex::start(operation);
  EXPECT_EQ(group.pending(), 1u);
  group.pause();
  run_until(1s);
  EXPECT_EQ(note_.how(), outcome::none);
  group.resume();
  run_until(1s + 10ms);
  EXPECT_EQ(note_.how(), outcome::value);

  const label counted = engine_.make_label("sender");
  note labelled, cancelled;
  auto second = connect(scheduler(group, {.label = counted}).schedule_after(10ms), labelled);
  auto third = connect(on.schedule_after(10ms), cancelled);
  ex::start(second);
  run_until(1s + 20ms);
  EXPECT_EQ(labelled.how(), outcome::value);
  EXPECT_EQ(engine_.metrics(counted).fired, 1u);
  ex::start(third);
  group.cancel_all();
  run_until(1s + 21ms);
  EXPECT_EQ(cancelled.how(), outcome::error);
  EXPECT_EQ(cancelled.problem(), errc::dropped);
}

TEST_F(SendersScheduler, TakesADelayOfAnyLength) {
  note at_once, never;
  auto negative = connect(scheduler_.schedule_after((duration::min)()), at_once);
  auto huge = connect(scheduler_.schedule_after((duration::max)()), never, token_of(source_));
  ex::start(negative);
  ex::start(huge);
  run_until(1000h);
  EXPECT_EQ(at_once.how(), outcome::value);
  EXPECT_EQ(never.how(), outcome::none);
  source_.request_stop();
  EXPECT_EQ(never.how(), outcome::stopped);
}

// A token that counts its hooks and does something while each one is added.
struct watched_token {
  int* hooks;
  std::function<void()> at_hook = [] {};

  template <class F>
  class callback_type {
   public:
    callback_type(const watched_token& in, F) : hooks_(in.hooks) {
      ++*hooks_;
      in.at_hook();
    }
    callback_type(const callback_type&) = delete;
    callback_type& operator=(const callback_type&) = delete;
    ~callback_type() { --*hooks_; }

   private:
    int* hooks_;
  };
  bool stop_requested() const noexcept { return false; }
  bool stop_possible() const noexcept { return true; }
};

TEST_F(SendersScheduler, LetsGoOfTheTokenWhenTheEngineHasStopped) {
  int hooks = 0;
  auto operation = connect(scheduler_.schedule_after(10ms), note_, watched_token{&hooks});
  ex::start(operation);
  EXPECT_EQ(hooks, 1);
  const std::vector<unfired_timer> left = engine_.stop();
  EXPECT_EQ(hooks, 0) << "what is given back may outlive the engine, and a stop request would not find it";
  EXPECT_EQ(note_.how(), outcome::none);
}

TEST_F(SendersScheduler, LetsGoOfTheTokenWhenTheEngineStopsInsideStart) {
  int hooks = 0;
  std::vector<unfired_timer> left;
  auto operation =
      connect(scheduler_.schedule_after(10ms), note_, watched_token{&hooks, [&] { left = engine_.stop(); }});
  ex::start(operation);
  EXPECT_EQ(hooks, 0);
  EXPECT_EQ(note_.how(), outcome::none);
  left.clear();
  EXPECT_EQ(note_.how(), outcome::stopped);
}

TEST_F(SendersScheduler, IsAnUnfiredTimerToWhoeverStopsTheEngine) {
  note dropped;
  auto operation = connect(scheduler_.schedule_after(10ms), note_, token_of(source_));
  auto other = connect(scheduler_.schedule_after(20ms), dropped, token_of(source_));
  ex::start(operation);
  ex::start(other);
  std::vector<unfired_timer> left = engine_.stop();
  ASSERT_EQ(left.size(), 2u);
  source_.request_stop();
  EXPECT_EQ(note_.how(), outcome::none) << "the engine's handle is no more, and the token has let go";
  for (unfired_timer& each : left) {
    if (each.deadline == time_point(10ms)) each.run();
  }
  EXPECT_EQ(note_.how(), outcome::value);
  left.clear();
  EXPECT_EQ(dropped.how(), outcome::stopped);
  EXPECT_EQ(note_.times() + dropped.times(), 2);
}

}  // namespace
}  // namespace detent::testing
