// SPDX-License-Identifier: MIT
// What is read where, with a time-stamp counter that is off: the counter and steady_clock are this program's own, and
// stand still unless a test moves them. By steady_clock nothing is early, whichever way the counter is off.
#include "clock_reader.hpp"

#include <detent/base/time_stamp.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "group_store.hpp"
#include "support/engine_executors.hpp"
#include "waiter.hpp"

namespace {

// The counter's ticks are nanoseconds. One object has the time, so that nobody sees half a step of it.
std::atomic<std::int64_t> steady_ns{1'000'000'000'000}, counter_ahead{0};

void pass(std::chrono::nanoseconds time) { steady_ns += time.count(); }

// So much passes before each of this thread's next readings of the counter.
thread_local std::span<const std::chrono::nanoseconds> before_readings;

void pass_before_a_reading() {
  if (before_readings.empty()) return;
  pass(before_readings.front());
  before_readings = before_readings.subspan(1);
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (clock != CLOCK_MONOTONIC) return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  const std::int64_t ns = steady_ns;
  *now = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

// Found before the real ones by what tsc_clock.cpp calls. This takes the place of the one in the library.
namespace detent::detail::base {
using namespace detent::base;
inline std::uint64_t read_time_stamp() noexcept {
  pass_before_a_reading();
  return static_cast<std::uint64_t>(steady_ns + counter_ahead);
}
inline bool time_stamp_is_invariant() noexcept { return true; }
}  // namespace detent::detail::base
#define sleep_for(span) yield(), ::pass(span)
#include "tsc_clock.cpp"
#undef sleep_for

namespace detent::detail {
namespace {

using namespace std::chrono_literals;

nanoseconds_t steady() { return steady_ns; }

// By counting, as the clock stands still.
template <class Condition>
bool eventually(Condition&& condition) {
  for (int looks = 0; looks != 100'000; ++looks) {
    if (condition()) return true;
    std::this_thread::sleep_for(200us);
  }
  return false;
}

// Fitted exactly, a moment ago, for a second; then the counter is off by as much as it says that it may be.
class TimeStamps : public ::testing::Test {
 protected:
  void SetUp() override {
    be_off_by(0);
    for (int fits = 0; fits != 60; ++fits) {  // each forgets a little of what another test was off by
      pass(2s);
      tsc_.now();
    }
    pass(1ms);
    ASSERT_EQ(tsc_.now(), steady());
    ASSERT_EQ(bound(), 200);
  }

  void be_off_by(nanoseconds_t by) { counter_ahead = by; }
  // By a suspend, or a move to another host.
  void set_back() { counter_ahead = 12'345 - steady(); }
  void be_ahead() { be_off_by(bound()); }
  void be_behind() { be_off_by(-bound()); }
  nanoseconds_t bound() const { return tsc_.error_bound(); }

  tsc_clock& tsc_ = *tsc_clock::shared();
  const clock_reader time_{nullptr, &tsc_};
};

// Callbacks run on the engine's thread: inline, and by way of an executor.
std::vector<std::shared_ptr<executor>> inline_and_on_an_executor() {
  return {nullptr, std::make_shared<testing::moody_executor>()};
}

// Its test polls an engine.
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

TEST_F(TimeStamps, AreTheTimeUnlessItIsToBeCertain) {
  be_ahead();
  EXPECT_EQ(time_.now(), steady() + bound());
  EXPECT_EQ(time_.certain(), steady());
  EXPECT_EQ(time_.confirm(time_.now()), steady());
  be_behind();
  EXPECT_EQ(time_.now(), steady() - bound());
  EXPECT_EQ(time_.not_before_now(), steady());
}

// A fit takes what one of eight looks saw: two readings of the counter around one of steady_clock. The processor is
// taken away in the middle of all but one.
TEST_F(TimeStamps, AreFittedByTheLookThatWasDisturbedLeast) {
  constexpr std::size_t looks = 8;
  for (std::size_t calm = 0; calm != looks; ++calm) {
    std::array<std::chrono::nanoseconds, 1 + 2 * looks> passes{};  // the first reading finds that a fit is due
    for (std::size_t look = 0; look != looks; ++look)
      if (look != calm) passes.at(2 + 2 * look) = 10us;
    pass(2s);
    before_readings = passes;
    tsc_.now();
    EXPECT_TRUE(before_readings.empty());
    before_readings = {};
    EXPECT_EQ(tsc_.now(), steady()) << calm;
    EXPECT_EQ(bound(), 200) << calm;
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

TEST_F(TimeStamps, AheadEndAWaitWithACertainReading) {
  doorbell bell;
  waiter waits(wait_options::busy(), 1, time_, bell);
  be_ahead();
  EXPECT_EQ(waits.spin(steady() + bound() / 2), steady());
}

TEST_F(TimeStamps, OffLeaveAPauseAsLongAsBySteadyClock) {
  group_store store;
  group_state& group = store.make();
  be_ahead();
  group.pause(time_);
  pass(1us);
  be_off_by(-bound() / 2);
  EXPECT_EQ(group.behind(time_), 1000);
  group.resume(time_);
  EXPECT_EQ(group.behind(time_), 1000);
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

// The second run begins by a reading of its own, or by the one behind the first.
TEST_F(TimeStamps, BehindHaveNoRunBeginBeforeItsDeadline) {
  be_behind();
  for (const std::shared_ptr<executor>& on : inline_and_on_an_executor()) {
    SCOPED_TRACE(on == nullptr ? "inline" : "on an executor");
    engine e({.drive = drive_kind::caller, .clock = clock_kind::tsc, .executor = on});
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
  for (int i = 1; i != 4; ++i) {  // the second shows that a look at the clock behind the first is over
    e.schedule_at(to_time(steady()), [&] { ++others; });
    ASSERT_TRUE(eventually([&] { return others == i; }));
  }
  EXPECT_EQ(fired, 0);
  pass(duration(bound() / 2));
  EXPECT_TRUE(eventually([&] { return fired == 1; }));
  EXPECT_EQ(early, 0);
}

// A pass looks for what is critical while it sorts a bulk, if that is large, and behind each run or hand-over of it.
TEST_F(TimeStamps, AheadHaveNothingCriticalOvertakeEarly) {
  for (const std::shared_ptr<executor>& on : inline_and_on_an_executor()) {
    SCOPED_TRACE(on == nullptr ? "inline" : "on an executor");
    be_ahead();
    std::atomic<int> fired{0}, bulk{0}, others{0};
    engine e({.wait = wait_options::busy(), .clock = clock_kind::tsc, .executor = on});
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
