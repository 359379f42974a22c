// SPDX-License-Identifier: MIT
// engine_options::max_pending: the most timers pending at once, exactly.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"
#include "support/joined_thread.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

class EngineCapacity : public ::testing::Test {
 protected:
  bool full() {
    timer made = engine_.try_schedule_after(1h, [] {});
    if (!made) return true;
    made.cancel();
    return false;
  }
  manual_clock clock_;
  engine engine_{
      engine_options{.name = "small", .manual = &clock_, .max_pending = 2, .on_error = [](std::exception_ptr) {}}};
};

TEST_F(EngineCapacity, RefusesTheFirstTimerBeyondItAtOnce) {
  EXPECT_TRUE(engine_.try_schedule_after(1s, [] {}));
  EXPECT_TRUE(engine_.try_schedule_after(1s, [] {}));
  EXPECT_FALSE(engine_.try_schedule_after(1s, [] {}));
  EXPECT_FALSE(engine_.try_schedule_at(time_point(1s), [] {}));
  EXPECT_FALSE(engine_.try_schedule_at_fixed_rate(1s, 1s, [] {}));
  EXPECT_FALSE(engine_.try_schedule_with_fixed_delay(1s, 1s, [] {}));
}

TEST_F(EngineCapacity, CountsEachTimerThatItRefuses) {
  timer_group group(engine_);
  EXPECT_EQ(engine_.metrics().over_capacity, 0u);
  engine_.schedule_after(1s, [] {});
  std::vector<timer> handles(5);
  const std::vector<time_point> deadlines(handles.size(), time_point(1s));
  EXPECT_EQ(engine_.schedule_at_bulk(
                deadlines, [](std::size_t) {}, handles),
            1u);
  EXPECT_EQ(engine_.metrics().over_capacity, 4u);
  EXPECT_FALSE(engine_.try_schedule_after(1s, [] {}));
  EXPECT_FALSE(engine_.try_schedule_at_fixed_rate(1s, 1s, [] {}));
  EXPECT_THROW(group.schedule_after(1s, [] {}), error);
  EXPECT_EQ(engine_.metrics().over_capacity, 7u);
  EXPECT_FALSE(engine_.try_schedule_after(1s, [] {}, {.lane = 9}));
  engine_.close();
  EXPECT_FALSE(engine_.try_schedule_after(1s, [] {}));
  EXPECT_EQ(engine_.metrics().over_capacity, 7u) << "of another reason";
  engine_metrics sum = engine_.metrics();
  EXPECT_EQ((sum += sum).over_capacity, 14u);
}

TEST_F(EngineCapacity, IsFreeAgainBeforeCancelReturns) {
  engine_.schedule_after(1s, [] {});
  for (const bool accepted : {false, true}) {
    timer t = engine_.schedule_after(1s, [] {});
    if (accepted) engine_.poll();
    EXPECT_TRUE(full());
    t.cancel();
    EXPECT_FALSE(full());
  }
}

TEST(EngineCapacityNone, IsNoLimit) {
  manual_clock clk;
  engine e({.manual = &clk, .max_pending = 0, .reserve = 16});
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(e.try_schedule_after(1s, [] {}));
  EXPECT_EQ(e.pending(), 100'000u);
}

TEST(EngineCapacityThreads, IsExactWhoeverCompetesForIt) {
  constexpr std::size_t places = 100;
  for (int round = 0; round < 20; ++round) {
    engine e({.max_pending = places, .reserve = 256});
    std::atomic<std::size_t> accepted{0};
    {
      std::vector<testing::joined_thread> producers;
      for (int p = 0; p < 3; ++p) {
        producers.emplace_back([&] {
          for (int i = 0; i < 60; ++i) {
            if (e.try_schedule_after(1h, [] {})) accepted.fetch_add(1);
          }
        });
      }
    }
    ASSERT_EQ(accepted.load(), places);
    ASSERT_EQ(e.pending(), places);
    ASSERT_EQ(e.metrics().over_capacity, 180 - places);
  }
}

TEST(EngineCapacityThreads, IsNeverExceededWhileTimersComeAndGo) {
  constexpr std::size_t places = 8;
  engine e({.max_pending = places, .reserve = 256});
  std::atomic<std::size_t> alive{0}, worst{0};
  {
    std::vector<testing::joined_thread> producers;
    for (int p = 0; p < 3; ++p) {
      producers.emplace_back([&] {
        for (int i = 0; i < 3000; ++i) {
          timer t = e.try_schedule_after(1h, [] {});
          if (!t) continue;
          std::size_t now_alive = alive.fetch_add(1) + 1;
          if (now_alive > worst.load()) worst = now_alive;
          alive.fetch_sub(1);
          t.cancel();
        }
      });
    }
  }
  EXPECT_LE(worst.load(), places);
  std::vector<timer> again;
  for (std::size_t i = 0; i < places; ++i) EXPECT_TRUE(e.try_schedule_after(1h, [] {}));
  EXPECT_FALSE(e.try_schedule_after(1h, [] {}));
}

}  // namespace
}  // namespace detent
