// SPDX-License-Identifier: MIT
// A coroutine whose timer fires while it is still falling asleep, or whose stop comes when it sleeps no more.
#include <detent/detent.hpp>
#include <search/meetings/hooks.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <optional>
#include <stop_token>
#include <utility>

#include "support/coroutine_tasks.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

// Has `work` done when a coroutine's timer is there, just before the coroutine is asleep.
template <class Work>
hooks::watcher before_it_is_asleep(int& stores, Work work) {
  return [&stores, work = std::move(work)](hooks::operation what, const hooks::site& where) {
    if (what != hooks::operation::store || !where.is_in("/coroutine.cpp")) return;
    if (++stores == 2) work();  // of that it falls asleep, and that it is asleep
  };
}

// The caller of poll() is done with it before the coroutine is asleep; the next call has it go on, at the same time.
TEST(CoroutineFallsAsleep, AndGoesOnWithTheNextPollWhereItsTimerFiredTooSoon) {
  manual_clock clock;
  engine owned({.drive = drive_kind::caller, .manual = &clock, .reserve = 0});
  int stores = 0;
  const hooks::watcher polls = before_it_is_asleep(stores, [&] {
    clock.advance(1s);
    EXPECT_EQ(owned.poll(), 1u);
  });
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

// The worker is done with it once and comes again, and so on, until the coroutine is asleep.
TEST(CoroutineFallsAsleep, AndTheWorkerThatCameTooSoonComesAgainSoon) {
  testing::owned_task task;  // goes when the worker has
  engine owned({.drive = drive_kind::worker});
  int stores = 0;
  const hooks::watcher waits = before_it_is_asleep(
      stores, [&] { EXPECT_TRUE(testing::eventually([&] { return owned.metrics().fired >= 2; })); });
  std::atomic<bool> went_on{false};
  auto sleeps = [&]() -> testing::owned_task {
    hooks::watch(&waits);
    co_await owned.sleep_for(0ns);
    went_on = true;
  };
  task = sleeps();
  hooks::watch(nullptr);
  EXPECT_EQ(stores, 2);
  EXPECT_TRUE(testing::eventually([&] { return went_on.load(); }));
}

// The awaiter, which may be a variable of the coroutine's, may outlive the engine from here on.
TEST(CoroutineGoesOn, AndAStopThatComesLaterLeavesTheEngineAlone) {
  manual_clock clock;
  engine owned({.drive = drive_kind::caller, .manual = &clock, .reserve = 0});
  std::stop_source source;
  auto naps = [&]() -> testing::owned_task {
    auto nap = owned.sleep_for(1s, source.get_token());
    co_await nap;
    co_await std::suspend_always{};
  };
  testing::owned_task task = naps();
  clock.advance(1s);
  EXPECT_EQ(owned.poll(), 1u);
  const std::uint64_t before = hooks::operations();
  source.request_stop();
  EXPECT_EQ(hooks::operations(), before);
}

// The engine may be gone before the awaiter's destructor ends.
TEST(CoroutineIsDestroyed, AndAStopInTheMiddleMovesItsTimerNoMore) {
  manual_clock clock;
  engine owned({.drive = drive_kind::caller, .manual = &clock, .reserve = 0});
  std::stop_source source;
  auto sleeps = [&]() -> testing::owned_task { co_await owned.sleep_for(1s, source.get_token()); };
  testing::owned_task task = sleeps();
  const hooks::watcher stops = [&](hooks::operation, const hooks::site&) { source.request_stop(); };
  hooks::watch(&stops);
  task.destroy();
  hooks::watch(nullptr);
  EXPECT_TRUE(source.stop_requested());
  EXPECT_EQ(owned.metrics().restarted, 0u);
  EXPECT_EQ(owned.metrics().cancelled, 1u);
}

}  // namespace
}  // namespace detent
