// SPDX-License-Identifier: MIT
// Which clock is read where, with a time-stamp counter that is off. The counter and steady_clock are this program's own
// and are paused unless a test moves them. By steady_clock nothing is early, in whichever direction the counter is off.
#include "platform/clock_reader.hpp"

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "driver/waiter.hpp"
#include "groups/group_store.hpp"
#include "hostile/made_up_time.hpp"
#include "support/engine_executors.hpp"

namespace detent::detail {
namespace {

using namespace std::chrono_literals;
using hostile::before_readings;
using hostile::pass;

nanoseconds_t steady() { return hostile::steady_ns; }

// By counting, as the clock is paused.
template <class Condition>
bool eventually(Condition&& condition) {
  for (int checks = 0; checks != 100'000; ++checks) {
    if (condition()) return true;
    std::this_thread::sleep_for(200us);
  }
  return false;
}

// Fitted exactly; then the counter is off by as much as not_before_now() allows for, or by what 90 us of the greatest
// slew make.
class TimeStamps : public ::testing::Test {
 protected:
  void SetUp() override {
    be_off_by(0);
    for (int spans = 0; spans != 3; ++spans) {  // the first may find that another test has set the counter
      pass(1s);
      tsc_.now();
    }
    pass(200us);
    tsc_.now();
    pass(90us);
    ASSERT_EQ(tsc_.now(), steady());
    bound_ = tsc_.not_before_now() - steady();
    ASSERT_GT(bound_, drift);
    ASSERT_LT(bound_, 250);
  }

  void be_off_by(nanoseconds_t by) { hostile::counter_ahead = by; }
  // By a suspend, or a move to another host.
  void set_back() { be_off_by(12'345 - steady()); }
  void be_ahead() { be_off_by(bound()); }
  void be_behind() { be_off_by(-drift); }
  nanoseconds_t bound() const { return bound_; }

  static constexpr nanoseconds_t drift = 90;
  tsc_clock& tsc_ = *tsc_clock::shared();
  const clock_reader time_{nullptr, &tsc_};

 private:
  nanoseconds_t bound_ = 0;
};

// Callbacks run on the engine's thread: inline, and by way of an executor.
std::vector<std::shared_ptr<executor>> inline_and_on_an_executor() {
  return {nullptr, std::make_shared<testing::moody_executor>()};
}

// Polls an engine.
class TimeStampsPoll : public TimeStamps {
 protected:
  engine engine_{{.drive = drive_kind::caller, .clock = clock_kind::tsc}};

  // `fired` counts what a call at this instant has begun to count a delay for.
  void expect_no_sooner_than(duration delay, const int& fired) {
    engine_.poll();
    const int before = fired;
    pass(delay - 1ns);
    engine_.poll();
    EXPECT_EQ(fired, before) << "early";
    pass(duration(2 * bound()) + 1ns);
    engine_.poll();
    EXPECT_EQ(fired, before + 1) << "late by more than the bound";
  }
};

// A reading of the counter finds that a fit is due. Each sample reads the counter, steady_clock and the counter.
constexpr std::size_t samples = 8;
using passes_of_samples = std::array<std::chrono::nanoseconds, 1 + 3 * samples>;

TEST_F(TimeStamps, AreTheTimeUnlessItIsToBeCertain) {
  be_ahead();
  EXPECT_EQ(time_.now(), steady() + bound());
  EXPECT_EQ(time_.certain(), steady());
  EXPECT_EQ(time_.confirm(time_.now()), steady());
  be_behind();
  EXPECT_EQ(time_.now(), steady() - drift);
  EXPECT_GE(time_.not_before_now(), steady());
}

// The processor is taken away in the middle of each sample until one is calm: between its reading of steady_clock and
// the next one of the counter.
TEST_F(TimeStamps, AreFittedByTheSampleThatWasDisturbedLeast) {
  for (std::size_t calm = 0; calm != samples; ++calm) {
    passes_of_samples passes{};
    for (std::size_t each = 0; each != calm; ++each) passes.at(3 + 3 * each) = 10us;
    pass(1ms);
    before_readings = {passes.data(), 1 + 3 * (calm + 1)};
    tsc_.now();
    EXPECT_TRUE(before_readings.empty());
    EXPECT_EQ(tsc_.now(), steady()) << calm;
    EXPECT_LE(tsc_.not_before_now(), steady() + bound()) << calm;
  }
}

TEST_F(TimeStamps, AreNeverBehindWhereEachSampleIsDisturbed) {
  for (const std::size_t side : {2U, 3U}) {  // before steady_clock is read, and after it
    passes_of_samples passes{};
    for (std::size_t reading = side; reading < passes.size(); reading += 3) passes.at(reading) = 10us;
    pass(1ms);
    before_readings = passes;
    tsc_.now();
    EXPECT_TRUE(before_readings.empty());
    EXPECT_GE(tsc_.not_before_now(), steady());
    pass(90us);
    be_behind();
    EXPECT_GE(tsc_.not_before_now(), steady());
    be_off_by(0);
  }
}

TEST_F(TimeStamps, AreNotReadBesideAManualClock) {
  manual_clock manual(time_point(5ns));
  const clock_reader time{&manual, &tsc_};
  EXPECT_EQ(time.now(), 5);
  EXPECT_EQ(time.not_before_now(), 5);
  EXPECT_EQ(time.certain(), 5);
  EXPECT_EQ(time.confirm(3), 3);
}

TEST_F(TimeStamps, AheadDoNotEndAWaitBeforeItsTime) {
  doorbell bell;
  waiter waits(wait_options::busy(), 1, time_, bell);
  be_ahead();
  const nanoseconds_t deadline = steady() + bound() / 2;
  const std::chrono::nanoseconds passes[] = {1ns, 1ns, duration(bound())};
  before_readings = passes;
  const std::optional<nanoseconds_t> reached = waits.spin(deadline);
  EXPECT_EQ(reached, steady());
  EXPECT_GE(reached, deadline);
  EXPECT_TRUE(before_readings.empty());
}

TEST_F(TimeStamps, OffLeaveAPauseAsLongAsBySteadyClock) {
  group_store store;
  group_state& group = store.make();
  be_ahead();
  group.pause(time_);
  pass(1us);
  be_behind();
  EXPECT_EQ(group.offset(time_).ns, 1000);
  group.resume(time_);
  EXPECT_EQ(group.offset(time_).ns, 1000);
}

TEST_F(TimeStampsPoll, AheadFireNothingEarly) {
  be_ahead();
  int fired = 0;
  engine_.schedule_at(to_time(steady() + bound() / 2), [&](firing& f) {
    EXPECT_GE(f.started(), f.deadline());
    ++fired;
  });
  EXPECT_EQ(engine_.poll(), 0U);
  pass(duration(bound() / 2));
  EXPECT_EQ(engine_.poll(), 1U);
  EXPECT_EQ(fired, 1);
}

// The second run begins by a reading of its own, or by the one after the first.
TEST_F(TimeStamps, BehindHaveNoRunBeginBeforeItsDeadline) {
  be_behind();
  for (const std::shared_ptr<executor>& on : inline_and_on_an_executor()) {
    SCOPED_TRACE(on == nullptr ? "inline" : "on an executor");
    engine e({.drive = drive_kind::caller, .executor = on, .clock = clock_kind::tsc});
    for (int i = 0; i != 2; ++i)
      e.schedule_at(to_time(steady()), [](firing& f) { EXPECT_GE(f.started(), f.deadline()); });
    EXPECT_EQ(e.poll(), 2U);
  }
}

TEST_F(TimeStampsPoll, BehindShortenNoDelay) {
  be_behind();
  int fired = 0;
  engine_.schedule_after(1us, [&] { ++fired; });
  expect_no_sooner_than(1us, fired);
  timer again = engine_.schedule_after(1h, [&] { ++fired; });
  again.restart_after(1us);
  expect_no_sooner_than(1us, fired);
  engine_.schedule_after(0ns, [&](firing& f) {
    if (++fired == 3) f.rearm_after(1us);
  });
  pass(duration(bound()));
  engine_.poll();
  ASSERT_EQ(fired, 3);
  expect_no_sooner_than(1us, fired);
}

TEST_F(TimeStampsPoll, BehindShortenNoFixedDelay) {
  be_behind();
  int fired = 0;
  engine_.schedule_with_fixed_delay(0ns, 1us, [&] { ++fired; });
  pass(duration(bound()));
  engine_.poll();
  ASSERT_EQ(fired, 1);
  expect_no_sooner_than(1us, fired);
}

TEST_F(TimeStampsPoll, SetBackShortenNoDelayAndHoldUpNothing) {
  int fired = 0;
  engine_.schedule_after(1ms, [&] { ++fired; });
  engine_.schedule_after(10ms, [&] { ++fired; });
  pass(500us);
  set_back();
  expect_no_sooner_than(500us, fired);
  engine_.schedule_after(1ms, [&] { ++fired; });
  expect_no_sooner_than(1ms, fired);
  for (int i = 0; i != 3; ++i) {
    EXPECT_EQ(engine_.now(), to_time(steady()));
    pass(10ms);
  }
  engine_.poll();
  EXPECT_EQ(fired, 3);
}

TEST_F(TimeStamps, AheadHaveAWorkerFireNothingEarly) {
  be_ahead();
  std::atomic<int> fired{0}, early{0}, others{0};
  engine e({.wait = wait_options::busy(), .clock = clock_kind::tsc});
  e.schedule_at(to_time(steady() + bound() / 2), [&](firing& f) {
    if (f.started() < f.deadline()) ++early;
    ++fired;
  });
  for (int i = 1; i != 4; ++i) {  // the second shows that a reading of the clock after the first is over
    e.schedule_at(to_time(steady()), [&] { ++others; });
    ASSERT_TRUE(eventually([&] { return others == i; }));
  }
  EXPECT_EQ(fired, 0);
  pass(duration(bound() / 2));
  EXPECT_TRUE(eventually([&] { return fired == 1; }));
  EXPECT_EQ(early, 0);
}

// A pass checks for what is critical while it sorts a bulk, if that is large, and after each run or hand-over of it.
TEST_F(TimeStamps, AheadHaveNothingCriticalOvertakeEarly) {
  for (const std::shared_ptr<executor>& on : inline_and_on_an_executor()) {
    SCOPED_TRACE(on == nullptr ? "inline" : "on an executor");
    be_ahead();
    std::atomic<int> fired{0}, bulk{0}, others{0};
    engine e({.wait = wait_options::busy(), .executor = on, .clock = clock_kind::tsc});
    auto pass_of_another = [&] {
      const int before = others;
      e.schedule_at(to_time(steady()), [&] { ++others; });
      return eventually([&] { return others != before; });
    };
    const std::vector<time_point> due(10'000, to_time(steady() + 1'000'000));
    std::vector<timer> out(due.size());
    e.schedule_at_bulk(
        due, [&](std::size_t) { ++bulk; }, out);
    e.schedule_at(due.front() + duration(bound() / 2), [&] { ++fired; }, {.lane = 3});
    ASSERT_TRUE(pass_of_another());  // so all of them are in the wheel
    pass(1ms);
    ASSERT_TRUE(eventually([&] { return bulk == 10'000; }));
    for (int i = 0; i != 2; ++i) ASSERT_TRUE(pass_of_another());  // the second: the bulk's is over
    EXPECT_EQ(fired, 0) << "early";
    pass(duration(bound() / 2));
    EXPECT_TRUE(eventually([&] { return fired == 1; }));
  }
}

TEST_F(TimeStamps, SetBackDoNotHoldUpAWorker) {
  std::atomic<int> fired{0};
  engine e({.wait = wait_options::busy(), .clock = clock_kind::tsc});
  e.schedule_at(to_time(steady()), [&] { ++fired; });
  e.schedule_after(1ms, [&] { ++fired; });
  pass(500us);
  ASSERT_TRUE(eventually([&] { return fired == 1; }));
  set_back();
  pass(500us + duration(2 * bound()));
  EXPECT_TRUE(eventually([&] { return fired == 2; }));
}

}  // namespace
}  // namespace detent::detail
