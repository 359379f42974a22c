// SPDX-License-Identifier: MIT
// A clock that moves on in the middle of a poll: it fires what is due by its one reading, and no more than it was told.
#include <detent/detent.hpp>
#include <hooks/hooks.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

namespace detent {
namespace {

using namespace std::chrono_literals;

bool is_in(const hooks::site& where, std::string_view file) { return std::string_view(where.file).ends_with(file); }

TEST(EnginePollClock, MayMoveOnWhileMuchIsCollectedAndNothingMoreFires) {
  manual_clock clock;
  engine owned({.drive = drive_kind::caller, .manual = &clock, .reserve = 0});
  int bulk = 0, critical = 0;
  for (int i = 0; i < 2000; ++i) owned.schedule_at(time_point(10ns), [&] { ++bulk; });
  owned.schedule_at(time_point(20ns), [&] { ++critical; }, {.lane = 3});
  clock.advance_to(time_point(10ns));
  owned.next_deadline();  // files them

  bool was_read = false;
  const hooks::watcher moves_on = [&](hooks::operation, const hooks::site& where) {
    if (is_in(where, "manual_clock.hpp")) was_read = true;
    if (was_read && is_in(where, "state_word.hpp")) clock.advance_to(time_point(30ns));
  };
  hooks::watch(&moves_on);
  const std::size_t fired = owned.poll(3);
  hooks::watch(nullptr);
  EXPECT_EQ(clock.now(), time_point(30ns));
  EXPECT_EQ(fired, 3u);
  EXPECT_EQ(bulk, 3);
  EXPECT_EQ(critical, 0);
  EXPECT_EQ(owned.poll(1), 1u);
  EXPECT_EQ(critical, 1);
}

}  // namespace
}  // namespace detent
