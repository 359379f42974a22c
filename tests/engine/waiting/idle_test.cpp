// SPDX-License-Identifier: MIT
// An engine that has nothing to do does nothing: no wake-ups, whatever the tick and the wheel.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "limits.hpp"
#include "support/platform/asleep.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

struct idle_engine {
  std::string name;
  std::unique_ptr<engine> e;
};

// For each tick and wheel, checks one engine that `prepare` leaves with nothing to do soon.
template <class Prepare>
std::vector<idle_engine> idle_engines(Prepare&& prepare) {
  std::vector<idle_engine> all;
  for (wheel_kind wheel : {wheel_kind::hierarchical, wheel_kind::hashed}) {
    for (duration tick : {duration(1ns), duration(1us), duration(900us), duration(1ms), duration(10ms)}) {
      for (wait_options wait : {wait_options::hybrid(), wait_options::sleep()}) {
        std::string name = "idle-" + std::to_string(all.size());
        all.push_back({name, std::make_unique<engine>(engine_options{
                                 .name = name, .tick = tick, .wait = wait, .reserve = 64, .wheel = wheel})});
        prepare(*all.back().e);
      }
    }
  }
  return all;
}

// Timers that are due this soon are cancelled or put off at once.
constexpr duration soon = 100ms;

// Two seconds in which no worker may wake or use as much as one percent of a processor.
void expect_idle(const std::vector<idle_engine>& all) {
  std::this_thread::sleep_for(2 * soon);  // a worker may wake once for it, a tick later
  for (const idle_engine& each : all) ASSERT_TRUE(drive::thread_sleeps(each.name)) << each.name;
  std::vector<std::uint64_t> wakeups, used;
  for (const idle_engine& each : all) {
    wakeups.push_back(each.e->metrics().wakeups);
    used.push_back(drive::processor_time(each.name));
  }
  std::this_thread::sleep_for(2s);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].e->metrics().wakeups - wakeups[i], 0u) << all[i].name;
    EXPECT_LT(drive::processor_time(all[i].name) - used[i], 20'000'000u) << all[i].name;
  }
}

TEST(EngineIdle, NeverWakesWithNothingPending) {
  expect_idle(idle_engines([](engine&) {}));
}

TEST(EngineIdle, NeverWakesBeforeATimerAnHourAway) {
  expect_idle(idle_engines([](engine& e) { e.schedule_after(1h, [] {}); }));
}

TEST(EngineIdle, NeverWakesForATimerThatWasCancelled) {
  expect_idle(idle_engines([](engine& e) {
    e.schedule_after(1h, [] {});
    e.schedule_after(soon, [] {}).cancel();
  }));
}

TEST(EngineIdle, NeverWakesForTimersThatWereRestartedToAnHourAway) {
  expect_idle(idle_engines([](engine& e) {
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(e.schedule_after(soon, [] {}).restart_after(1h));
  }));
}

TEST(EngineIdle, ProducersOfLaterTimersDoNotRing) {
  engine e({.name = "later"});
  e.schedule_after(1h, [] {});
  ASSERT_TRUE(drive::thread_sleeps("later"));
  const auto rings = e.metrics().rings;
  for (std::uint64_t i = 0; i < detail::limits::least_backlog / 8; ++i) e.schedule_after(2h, [] {}).cancel();
  EXPECT_EQ(e.metrics().rings, rings);
}

}  // namespace
}  // namespace detent
