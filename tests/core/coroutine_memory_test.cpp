// SPDX-License-Identifier: MIT
// To sleep asks nobody for memory: what it needs lies in the coroutine's frame.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <stop_token>

#include "support/coroutine_tasks.hpp"
#include "support/drive_allocations.hpp"

namespace detent::drive {
namespace {

using namespace std::chrono_literals;
using testing::owned_task;

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

}  // namespace
}  // namespace detent::drive
