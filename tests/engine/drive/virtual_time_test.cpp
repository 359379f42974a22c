// SPDX-License-Identifier: MIT
// manual_clock::run_for() and run_until(): every callback at its own deadline, over several engines.
#include <detent/coroutine.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/coroutine_tasks.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

TEST(VirtualTime, StopsAtEachDeadlineAndEndsAtItsEnd) {
  drive::virtual_engine v;
  std::vector<duration> seen;
  const auto look = [&] { seen.push_back(v.clock.now().time_since_epoch()); };
  v.engine.schedule_after(3s, look);
  v.engine.schedule_at_fixed_rate(2s, 2s, look);
  v.engine.schedule_after(1s, [&] { look(), v.engine.schedule_after(500ms, look); });
  v.engine.schedule_after(9s, look);
  EXPECT_EQ(v.clock.run_for(8s, v.engine), 7u);
  EXPECT_EQ(seen, (std::vector<duration>{1s, 1500ms, 2s, 3s, 4s, 6s, 8s}));
  EXPECT_EQ(v.clock.now(), at(8s));
  EXPECT_EQ(v.clock.run_until(at(5s), v.engine), 0u);  // past: moves no time
  EXPECT_EQ(v.clock.now(), at(8s));
}

TEST(VirtualTime, OrdersDeadlinesOverAllEngines) {
  manual_clock clock;
  engine a({.manual = &clock}), b({.manual = &clock});
  std::string order;
  b.schedule_after(2s, [&] { order += "b2 "; });
  a.schedule_after(1s, [&] { order += "a1 ", b.schedule_after(1ms, [&] { order += "b1.001 "; }); });
  a.schedule_after(2s, [&] { order += "a2 "; });
  b.schedule_after(3s, [&] { order += "b3 ", a.schedule_after(0s, [&] { order += "a3 "; }); });
  EXPECT_EQ(clock.run_for(3s, a, b), 6u);
  EXPECT_EQ(order, "a1 b1.001 a2 b2 b3 a3 ");
  std::vector<engine*> both{&a, &b};
  b.schedule_after(1s, [&] { order += "b4"; });
  EXPECT_EQ(clock.run_for(1s, both), 1u);
}

TEST(VirtualTime, ResumesCoroutines) {
  drive::virtual_engine v;
  std::vector<duration> woken;
  auto sleeper = [&]() -> testing::free_task {
    for (int i = 0; i < 3; ++i) {
      co_await v.engine.sleep_for(10s);
      woken.push_back(v.engine.now().time_since_epoch());
    }
  };
  sleeper();
  v.clock.run_for(1min, v.engine);
  EXPECT_EQ(woken, (std::vector<duration>{10s, 20s, 30s}));
}

TEST(VirtualTime, FiresAllThereIsWithoutAnEnd) {
  drive::virtual_engine v;
  v.engine.schedule_after(10000h, v.note(1));
  EXPECT_EQ(v.clock.run_until((time_point::max)(), v.engine), 1u);
  EXPECT_EQ(v.clock.now(), at(10000h));
  v.engine.schedule_at((time_point::max)(), v.note(2));
  EXPECT_EQ(v.clock.run_until((time_point::max)(), v.engine), 1u);
  EXPECT_EQ(v.clock.now(), (time_point::max)());
  EXPECT_EQ(v.fired, (drive::ids{1, 2}));
  EXPECT_EQ(v.engine.pending(), 0u);
}

// They have no deadline, and nothing brings time to its end for them.
TEST(VirtualTime, LeavesPausedMembersAtTheEndOfTime) {
  for (const bool with_the_last : {false, true}) {
    drive::virtual_engine v;
    timer_group group(v.engine);
    group.schedule_after(1s, v.note(1));
    group.schedule_at_fixed_rate(1s, 1s, v.note(1));
    group.pause();
    v.engine.schedule_after(1h, v.note(2));
    if (with_the_last) v.engine.schedule_at((time_point::max)(), v.note(3));
    v.clock.run_until((time_point::max)(), v.engine);
    EXPECT_EQ(v.clock.now(), with_the_last ? (time_point::max)() : at(1h));
    EXPECT_EQ(v.fired, with_the_last ? (drive::ids{2, 3}) : drive::ids{2});
    EXPECT_EQ(group.pending(), 2u);
  }
}

// Time does not go on for paused members that the wheel still has under their deadlines, even if there are more of them
// than it looks at when it searches for the next deadline.
TEST(VirtualTime, EndsAtTheLastDeadlineHoweverManyArePaused) {
  for (const wheel_kind wheel : {wheel_kind::hierarchical, wheel_kind::hashed}) {
    for (const bool filed : {false, true}) {
      drive::virtual_engine v({.wheel = wheel});
      timer_group group(v.engine);
      for (int i = 0; i < 200; ++i) group.schedule_after(24h, v.note(1));
      v.engine.schedule_after(1h, v.note(2));
      if (filed) v.engine.poll();
      group.pause();
      v.clock.run_until((time_point::max)(), v.engine);
      EXPECT_EQ(v.clock.now(), at(1h));
      EXPECT_EQ(v.fired, drive::ids{2});
    }
  }
}

TEST(VirtualTime, OffersRefusedWorkAgain) {
  auto moody = std::make_shared<testing::moody_executor>();
  drive::virtual_engine v({.executor = moody, .on_refusal = refusal_policy::retry});
  moody->refuse = true;
  v.engine.schedule_after(1s, v.note(1));
  v.clock.run_for(2s, v.engine);
  EXPECT_EQ(v.fired, drive::ids{});
  moody->refuse = false;
  v.clock.run_for(1s, v.engine);
  EXPECT_EQ(v.fired, drive::ids{1});
}

// Schedules on another engine when its timer is dropped, and so after that engine has been polled.
struct arms_at_its_end {
  arms_at_its_end(engine& on, std::string& log) : on_(&on), log_(log) {}
  arms_at_its_end(arms_at_its_end&& other) noexcept : on_(std::exchange(other.on_, nullptr)), log_(other.log_) {}
  ~arms_at_its_end() {
    if (on_ != nullptr) on_->schedule_after(0s, [this_log = &log_] { *this_log += "late"; });
  }
  void operator()() { log_ += "ran "; }

 private:
  engine* on_;
  std::string& log_;
};

TEST(VirtualTime, DoesNotGoBeyondItsEndForWhatIsArmedThere) {
  manual_clock clock;
  engine a({.manual = &clock}), b({.manual = &clock});
  std::string log;
  b.schedule_after(1s, arms_at_its_end(a, log), {.max_lateness = 1s});
  clock.advance(10s);
  EXPECT_EQ(clock.run_for(0s, a, b), 1u);
  EXPECT_EQ(log, "late");
  EXPECT_EQ(clock.now(), at(10s));
}

TEST(VirtualTime, RefusesAnEngineOfAnotherClock) {
  manual_clock clock(at(5s)), earlier, equal(at(5s));
  engine of_earlier({.manual = &earlier}), of_equal({.manual = &equal}), of_none({.drive = drive_kind::caller});
  for (engine* each : {&of_earlier, &of_equal, &of_none}) {
    try {
      clock.run_for(1s, *each);
      ADD_FAILURE();
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), errc::invalid_option);
    }
  }
  EXPECT_EQ(clock.now(), at(5s));
}

TEST(VirtualTime, IsNotRunFromACallback) {
  drive::virtual_engine v;
  std::error_code code;
  v.engine.schedule_after(1s, [&] {
    try {
      v.clock.run_for(1s, v.engine);
    } catch (const error& refused) {
      code = refused.code();
    }
  });
  v.clock.run_for(1s, v.engine);
  EXPECT_EQ(code, errc::called_from_callback);
}

}  // namespace
}  // namespace detent
