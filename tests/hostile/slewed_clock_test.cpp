// SPDX-License-Identifier: MIT
// Delays while steady_clock is slewed against the time-stamp counter. Both are this program's own; each reading of one
// takes some time, and now and then the processor is taken away before it.
#include "platform/clock_reader.hpp"

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <random>

#include "hostile/made_up_time.hpp"

namespace detent::detail {
namespace {

using namespace std::chrono_literals;
using hostile::pass;

constexpr int most = 500;  // ppm: what the kernel slews by for adjtime() and ntpd

nanoseconds_t steady() { return hostile::steady_ns; }

class SlewedClock : public ::testing::Test {
 protected:
  SlewedClock() { slew_and_fit(0); }
  ~SlewedClock() override {
    hostile::slewed_by = 0;
    hostile::steady_takes = 0us;
    hostile::before_readings = {};
  }

  void slew(int ppm) { hostile::slewed_by = ppm; }
  // For as long as it takes to measure the counter's rate, and to find it even.
  void slew_and_fit(int ppm) {
    slew(ppm);
    for (int spans = 0; spans != 4; ++spans) {
      pass(1100ms);
      tsc_.now();
    }
    ASSERT_TRUE(is_trusted());
  }
  // Returns whether a reading needs no steady_clock if there is an anchor.
  bool is_trusted() {
    pass(1ms);
    tsc_.now();
    const std::uint64_t before = hostile::steady_readings;
    tsc_.now();
    return hostile::steady_readings == before;
  }

  // A few nanoseconds for each of the next readings. An interruption for one in 20.
  void readings_take_time() {
    for (std::chrono::nanoseconds& each : takes_) {
      each = std::chrono::nanoseconds(random_() % 30);
      if (random_() % 20 == 0) each = std::chrono::nanoseconds(random_() % 300'000);
    }
    hostile::before_readings = takes_;
  }

  // The beginning of a delay, and the end of a run; it is counted whether one is before the call, or the other after
  // it.
  void begin_delay() {
    readings_take_time();
    const nanoseconds_t before = steady();
    const nanoseconds_t reported = tsc_.not_before_now(), ended = tsc_.not_after_now();
    hostile::before_readings = {};
    const nanoseconds_t wrong = std::max(before - reported, ended - steady());
    if (wrong > 0) ++early_, worst_ = std::max(worst_, wrong);
  }
  // From a nanosecond to some milliseconds apart, mostly within what an anchor is used for.
  void begin_delays(int count) {
    for (int i = 0; i != count; ++i) {
      pass(std::chrono::nanoseconds(random_() % (std::uint64_t{1} << random_() % 24)));
      begin_delay();
    }
  }
  void expect_none_early() const { EXPECT_EQ(early_, 0) << "the worst by " << worst_ << " ns; seed " << seed_; }

  const std::uint64_t seed_ = std::random_device{}();
  std::mt19937_64 random_{seed_};
  tsc_clock& tsc_ = *tsc_clock::shared();

 private:
  std::array<std::chrono::nanoseconds, 40> takes_{};
  int early_ = 0;
  nanoseconds_t worst_ = 0;
};

TEST_F(SlewedClock, EndsNoDelayEarlyAtAnyRateAfterAnEvenOne) {
  for (const int ppm : {1, -1, 20, -20, most / 2, -most / 2, most, -most}) {
    slew_and_fit(0);
    slew(ppm);
    begin_delays(20'000);
  }
  expect_none_early();
}

TEST_F(SlewedClock, EndsNoDelayEarlyWhereItWasFittedAtTheOtherExtreme) {
  for (const int ppm : {-most, most}) {
    slew_and_fit(ppm);
    slew(-ppm);
    begin_delays(20'000);
  }
  expect_none_early();
}

TEST_F(SlewedClock, EndsNoDelayEarlyWhereTheSlewChangesOften) {
  for (int changes = 0; changes != 5'000; ++changes) {
    slew(changes % 2 == 0 ? most : -most);
    begin_delays(static_cast<int>(random_() % 20));
  }
  for (int changes = 0; changes != 5'000; ++changes) {
    slew(static_cast<int>(random_() % (2 * most + 1)) - most);
    begin_delays(static_cast<int>(random_() % 20));
  }
  expect_none_early();
}

// At the end of what an anchor is used for, and without an interruption.
TEST_F(SlewedClock, MakesNoDelayLaterThanItsAnchorAllows) {
  for (const int ppm : {-most, 0, most}) {
    slew_and_fit(ppm);
    for (const int then : {-most, 0, most}) {
      slew(then);
      pass(1ms);
      tsc_.now();
      pass(99us);
      const std::uint64_t before = hostile::steady_readings;
      EXPECT_LE(tsc_.not_before_now(), steady() + 250 + (most + most) * 99 / 1'000) << ppm << ", then " << then;
      EXPECT_EQ(hostile::steady_readings, before) << "not by the counter";
      slew(ppm);
    }
  }
}

TEST_F(SlewedClock, FiresNoTimerOfAnEngineEarly) {
  engine e({.drive = drive_kind::caller, .clock = clock_kind::tsc});
  int early = 0;
  slew_and_fit(-most);
  for (int delays = 0; delays != 5'000; ++delays) {
    slew(delays % 3 == 0 ? -most : most);
    pass(std::chrono::nanoseconds(random_() % 90'000));
    const duration delay(random_() % 200'000);
    bool fired = false;
    const nanoseconds_t due = steady() + delay.count();
    e.schedule_after(delay, [&] {
      if (steady() < due) ++early;
      fired = true;
    });
    while (!fired) {
      pass(std::chrono::nanoseconds(random_() % 1'000));
      e.poll();
    }
  }
  EXPECT_EQ(early, 0) << "seed " << seed_;
}

// Whichever of the two an engine reports, the time left of a timer counts from that.
TEST_F(SlewedClock, TheTimeLeftCountsFromTheEnginesNow) {
  for (const clock_kind kind : {clock_kind::automatic, clock_kind::tsc}) {
    engine e({.drive = drive_kind::caller, .clock = kind});
    timer far = e.schedule_after(1h, [] {});
    for (const int ppm : {-most, most}) {
      slew_and_fit(0);
      slew(ppm);
      pass(1ms);
      tsc_.now();
      pass(99us);
      EXPECT_EQ(far.remaining(), *far.deadline() - e.now()) << ppm;
    }
  }
}

// Beyond what is allowed for: the next anchor finds it out, and steady_clock is read until the rate is even again.
TEST_F(SlewedClock, IsReadItselfWhereItIsSlewedByMore) {
  for (const int ppm : {5'000, -5'000, 80'000, -80'000}) {
    slew_and_fit(0);
    slew(ppm);
    pass(1ms);
    tsc_.now();
    for (int readings = 0; readings != 1'000; ++readings) {
      pass(999us);
      EXPECT_EQ(tsc_.now(), steady());
      EXPECT_EQ(tsc_.not_before_now(), steady());
    }
    slew_and_fit(ppm);  // an even rate, if another one
    slew(0);
    pass(1ms);
    EXPECT_EQ(tsc_.not_before_now(), steady());
    EXPECT_FALSE(is_trusted());
    slew_and_fit(0);
  }
}

// As where the kernel has changed to another clock source under way, which runs at a rate of its own: the counter, of
// which it no longer thinks well, is not read from the third anchor on.
TEST_F(SlewedClock, IsReadItselfWhereThatHasBecomeSlow) {
  const std::uint64_t before = tsc_.distrusted();
  hostile::steady_takes = 1us;
  slew(300);
  begin_delays(20'000);
  EXPECT_FALSE(is_trusted());
  EXPECT_EQ(tsc_.distrusted(), before + 1);
  pass(3s);
  begin_delays(1'000);
  EXPECT_FALSE(is_trusted());
  expect_none_early();
  hostile::steady_takes = 0us;
  slew_and_fit(0);  // checks that it is trusted again
}

}  // namespace
}  // namespace detent::detail
