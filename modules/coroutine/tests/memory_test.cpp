// SPDX-License-Identifier: MIT
// A sleep allocates nothing: what it needs lies in the coroutine's frame.
#include <detent/detent.hpp>
#include <detent/interval.hpp>
#include <detent/when.hpp>
#include <detent/with_timeout.hpp>

#include <gtest/gtest.h>

#include <array>
#include <stop_token>

#include "support/coroutine_tasks.hpp"
#include "support/drive_allocations.hpp"
#include "support/platform/process.hpp"

namespace detent::drive {
namespace {

using namespace std::chrono_literals;
using testing::owned_task;

// Repeated a hundred times, so that a leak in each would show.
template <class Life>
void expect_to_leave_nothing(Life&& life) {
  for (int i = 0; i < 3; ++i) life();
  const std::size_t before = memory().mapped;
  for (int i = 0; i < 100; ++i) life();
  EXPECT_LE(memory().mapped, before + (16u << 20));
}

TEST(CoroutineMemory, ASleepersEngineLeavesNothing) {
  expect_to_leave_nothing([] {
    manual_clock clock;
    engine e({.manual = &clock});
    auto sleeper = [&]() -> owned_task { co_await e.sleep_for(1s); };
    owned_task elapsed = sleeper(), destroyed = sleeper();
    destroyed.destroy();
    clock.advance(1s);
    e.poll();
    EXPECT_TRUE(elapsed.done());
  });
}

// Most of the sleeps are refused.
TEST(StoppableMemory, WhatAStopTokenWasForLeavesNothing) {
  expect_to_leave_nothing([] {
    engine e({.drive = drive_kind::caller, .max_pending = 10});
    std::stop_source source;
    for (int i = 0; i < 100; ++i) {
      try {
        e.schedule_after(1h, source.get_token(), [large = std::array<char, 4096>()] { static_cast<void>(large); });
      } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::capacity_exceeded);
      }
    }
  });
}

TEST(CoroutineMemory, ASleepAllocatesNothing) {
  manual_clock clock;
  engine e({.manual = &clock, .reserve = 4096});
  std::stop_source source;
  int wakes = 0;
  auto sleeper = [&](std::stop_token token) -> owned_task {
    for (;;) {
      co_await e.sleep_for(1s, token);
      ++wakes;
    }
  };
  owned_task plain = sleeper({}), stoppable = sleeper(source.get_token());
  auto turn = [&] {
    clock.advance(1s);
    e.poll();
  };
  for (int i = 0; i < 100; ++i) turn();
  const std::uint64_t before = allocations();
  for (int i = 0; i < 1000; ++i) turn();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(wakes, 2200);

  owned_task one_more = sleeper(source.get_token());
  EXPECT_EQ(allocations(), before + 1) << "its frame";
}

TEST(CoroutineMemory, LimitsBranchesIntervalsAndGroupsAllocateNothing) {
  manual_clock clock;
  engine e({.manual = &clock, .reserve = 4096});
  int turns = 0;
  auto worker = [&]() -> owned_task {
    interval every(e, 1s);
    timer_group group(e);
    for (;;) {
      co_await group.sleep_for(1s);
      static_cast<void>(co_await with_timeout(group, 1s, group.sleep_for(2s)));
      static_cast<void>(co_await with_timeout(e, 1s, e.sleep_for(2s)));
      static_cast<void>(co_await with_timeout(e, 2s, e.sleep_for(1s)));
      static_cast<void>(co_await when_any(e.sleep_for(1s), e.sleep_for(2s), e.sleep_for(3s)));
      static_cast<void>(co_await when_all(e.sleep_for(1s), with_timeout(e, 1s, e.sleep_for(1s))));
      static_cast<void>(co_await every.next());
      ++turns;
    }
  };
  owned_task task = worker();
  auto turn = [&] {
    clock.advance(1s);
    while (e.poll() != 0) {
    }
  };
  for (int i = 0; i < 100; ++i) turn();
  const std::uint64_t before = allocations();
  const int turns_before = turns;
  for (int i = 0; i < 1000; ++i) turn();
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(turns, turns_before + 100);
}

}  // namespace
}  // namespace detent::drive
