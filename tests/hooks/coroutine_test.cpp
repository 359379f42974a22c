// SPDX-License-Identifier: MIT
// A coroutine whose timer fires while it is still falling asleep.
#include <detent/detent.hpp>
#include <hooks/hooks.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "support/coroutine_tasks.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

// The caller of poll() is done with it before the coroutine is asleep; the next call has it go on, at the same time.
TEST(CoroutineFallsAsleep, AndGoesOnWithTheNextPollWhereItsTimerFiredTooSoon) {
  manual_clock clock;
  engine owned({.drive = drive_kind::caller, .manual = &clock, .reserve = 0});
  int stores = 0;
  const hooks::watcher polls = [&](hooks::operation what, const hooks::site& where) {
    if (what != hooks::operation::store || !where.is_in("/coroutine.cpp")) return;
    if (++stores != 2) return;  // of that it falls asleep, and that it is asleep
    clock.advance(1s);
    EXPECT_EQ(owned.poll(), 1u);
  };
  std::optional<time_point> went_on;
  auto sleeps = [&]() -> testing::owned_task {
    hooks::watch(&polls);
    co_await owned.sleep_for(1s);
    went_on = clock.now();
  };
  testing::owned_task task = sleeps();
  hooks::watch(nullptr);
  EXPECT_EQ(stores, 2);
  EXPECT_FALSE(went_on);
  EXPECT_EQ(owned.poll(), 1u);
  EXPECT_EQ(went_on, time_point(1s));
}

}  // namespace
}  // namespace detent
