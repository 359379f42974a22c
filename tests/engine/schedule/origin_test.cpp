// SPDX-License-Identifier: MIT
// The origin of a timer is the line of its schedule call, whichever call it was.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

// A call, and the line that it stands on: both on one line.
struct made_at {
  timer made;
  std::uint32_t line;
};

class EngineOrigin : public ::testing::Test {
 protected:
  std::optional<pending_timer> find(timer wanted) const {
    for (const pending_timer& each : engine_.list_pending())
      if (each.handle == wanted) return each;
    return std::nullopt;
  }
  void expect_here(const made_at& call) const {
    const std::optional<pending_timer> reported = find(call.made);
    ASSERT_TRUE(reported) << call.line;
    EXPECT_STREQ(reported->file, __FILE__);
    EXPECT_EQ(reported->line, call.line);
  }

  drive::virtual_engine rig_{{.capture_origin = true}};
  engine& engine_ = rig_.engine;
  const time_point due_ = at(1h);
};

// clang-format off
TEST_F(EngineOrigin, OneShots) {
  expect_here({engine_.schedule_at(due_, [] {}), __LINE__});
  expect_here({engine_.schedule_at(due_, [] {}, {.slack = 1ns}), __LINE__});
  expect_here({engine_.schedule_after(1h, [] {}), __LINE__});
  expect_here({engine_.schedule_after(1h, [] {}, {}), __LINE__});
  expect_here({engine_.schedule_after(1h, [big = std::array<char, 200>()] { static_cast<void>(big); }), __LINE__});
  const std::stop_source source;
  expect_here({engine_.schedule_after(1h, source.get_token(), [] {}), __LINE__});
  expect_here({engine_.schedule_after(1h, source.get_token(), [] {}, {.lane = 1}), __LINE__});
  expect_here({engine_.schedule_after(1h, std::stop_token(), [] {}), __LINE__});
}

TEST_F(EngineOrigin, PeriodicOnes) {
  expect_here({engine_.schedule_at_fixed_rate(1h, 1h, [] {}), __LINE__});
  expect_here({engine_.schedule_at_fixed_rate(1h, 1h, [] {}, {.runs = 3}), __LINE__});
  expect_here({engine_.schedule_with_fixed_delay(1h, 1h, [] {}), __LINE__});
  expect_here({engine_.schedule_with_fixed_delay(1h, 1h, [] {}, {.slack = 1ns}), __LINE__});
}

TEST_F(EngineOrigin, CallsThatDoNotThrow) {
  expect_here({engine_.try_schedule_at(due_, [] {}), __LINE__});
  expect_here({engine_.try_schedule_at(due_, [] {}, {.slack = 1ns}), __LINE__});
  expect_here({engine_.try_schedule_after(1h, [] {}), __LINE__});
  expect_here({engine_.try_schedule_after(1h, [] {}, {}), __LINE__});
  expect_here({engine_.try_schedule_at_fixed_rate(1h, 1h, [] {}), __LINE__});
  expect_here({engine_.try_schedule_with_fixed_delay(1h, 1h, [] {}), __LINE__});
}

TEST_F(EngineOrigin, GroupsCalls) {
  timer_group group(engine_);
  expect_here({group.schedule_at(due_, [] {}), __LINE__});
  expect_here({group.schedule_at(due_, [] {}, {.slack = 1ns}), __LINE__});
  expect_here({group.schedule_after(1h, [] {}), __LINE__});
  expect_here({group.schedule_at_fixed_rate(1h, 1h, [] {}), __LINE__});
  expect_here({group.schedule_with_fixed_delay(1h, 1h, [] {}), __LINE__});
  expect_here({group.try_schedule_at(due_, [] {}), __LINE__});
  expect_here({group.try_schedule_after(1h, [] {}), __LINE__});
}

TEST_F(EngineOrigin, ManyAtOnce) {
  const std::vector<time_point> deadlines(3, due_);
  std::array<timer, 3> out;
  std::uint32_t line = 0;
  engine_.schedule_at_bulk(deadlines, [](std::size_t) {}, out); line = __LINE__;
  for (timer each : out) expect_here({each, line});
  engine_.schedule_at_bulk(deadlines, [](std::size_t) {}, out, {.slack = 1ns}); line = __LINE__;
  for (timer each : out) expect_here({each, line});
  auto shared = [big = std::array<char, 200>()](std::size_t) { static_cast<void>(big); };
  engine_.schedule_at_bulk(deadlines, shared, out); line = __LINE__;
  for (timer each : out) expect_here({each, line});
}
// clang-format on

// A function that schedules for others passes on their place.
timer schedule_for(engine& e, origin where = origin::current()) {
  return e.schedule_after(
      1h, [] {}, {}, where);
}

TEST_F(EngineOrigin, IsPassedOn) {
  expect_here({schedule_for(engine_), __LINE__});
  const std::optional<pending_timer> reported = find(engine_.schedule_at(
      due_, [] {}, origin::unknown()));
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->file, nullptr);
  EXPECT_EQ(reported->line, 0u);
}

TEST_F(EngineOrigin, StaysThroughRestartsPeriodsAndRearmings) {
  timer one = engine_.schedule_at(at(10), [](firing& f) { f.rearm_after(10ns); });
  const std::uint32_t line = __LINE__ - 1;
  one.restart_at(at(20));
  rig_.poll_at(at(5));
  one.restart_at(at(30));
  expect_here({one, line});
  rig_.poll_at(at(30));
  rig_.poll_at(at(40));
  expect_here({one, line});
}

TEST_F(EngineOrigin, AgeCountsFromTheScheduleCall) {
  rig_.clock.advance(100ns);
  timer one = engine_.schedule_at(due_, [] {});
  rig_.clock.advance(30ns);
  EXPECT_EQ(find(one)->age, 30ns);
  rig_.poll_at(at(1us));
  one.restart_at(at(2h));
  EXPECT_EQ(find(one)->age, 900ns);
}

// The place of a timer that has ended is another's.
TEST_F(EngineOrigin, ANodeUsedAgainHasItsNewOrigin) {
  for (int i = 0; i < 20; ++i) {
    timer first = engine_.schedule_at(due_, [] {});
    first.cancel();
    rig_.engine.poll();
    expect_here({engine_.schedule_at(at(1ns * i), [] {}), __LINE__});
    rig_.poll_at(at(1us + 1ns * i));
  }
}

TEST(EngineOriginOff, NothingIsRemembered) {
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(1h), [] {});
  rig.engine.schedule_at(at(1h), [] {}, {.slack = 1ns});
  rig.engine.schedule_at_fixed_rate(1h, 1h, [] {});
  rig.clock.advance(1s);
  const std::vector<pending_timer> reported = rig.engine.list_pending();
  EXPECT_EQ(reported.size(), 3u);
  for (const pending_timer& each : reported) {
    EXPECT_EQ(each.file, nullptr);
    EXPECT_EQ(each.line, 0u);
    EXPECT_EQ(each.age, 0ns);
  }
}

TEST(EngineOriginOff, GoesWithAnEngineThatMoves) {
  manual_clock time;
  engine first({.manual = &time, .capture_origin = true});
  engine second({.manual = &time});
  second = std::move(first);
  second.schedule_at(at(1h), [] {});
  EXPECT_EQ(second.list_pending().at(0).line, std::uint32_t{__LINE__ - 1});
  engine third(std::move(second));
  third.schedule_at(at(2h), [] {});
  EXPECT_EQ(third.list_pending().at(1).line, std::uint32_t{__LINE__ - 1});
}

}  // namespace
}  // namespace detent
