// SPDX-License-Identifier: MIT
// A scoped_timer that outlives its engine does nothing any more, least of all to another engine in its place.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace detent {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<engine> make_engine(manual_clock& clock) {
  return std::make_unique<engine>(engine_options{.manual = &clock, .reserve = 0});
}

TEST(ScopedTimerThatOutlivesItsEngine, IsDestroyedAndMovedFromAndAssignedToWithoutHarm) {
  manual_clock clock;
  std::optional<engine> e(std::in_place, engine_options{.manual = &clock});
  scoped_timer owner(e->schedule_after(1h, [] {})), other(e->schedule_after(1h, [] {})), taken;
  e.reset();
  EXPECT_TRUE(owner.get());
  taken = std::move(owner);
  taken = std::move(other);
  EXPECT_TRUE(taken.get());
  taken = {};
}

TEST(ScopedTimerThatOutlivesItsEngine, IsDestroyedOnAThreadThatNeverUsedIt) {
  manual_clock clock;
  std::unique_ptr<engine> e = make_engine(clock);
  scoped_timer owner(e->schedule_after(1h, [] {}));
  e.reset();
  std::thread([last = std::move(owner)] {}).join();
}

TEST(ScopedTimerThatOutlivesItsEngine, InACaptureThatStopReturned) {
  manual_clock clock;
  std::unique_ptr<engine> e = make_engine(clock);
  auto owner = std::make_shared<scoped_timer>(e->schedule_after(2h, [] {}));
  e->schedule_after(1h, [owner] {});
  owner.reset();
  std::vector<unfired_timer> left = e->stop();
  ASSERT_EQ(left.size(), 2u);
  e.reset();
}

// The allocator likes to give the next engine the place of the last.
TEST(ScopedTimerThatOutlivesItsEngine, LeavesTheTimersOfAnEngineInItsPlaceAlone) {
  manual_clock clock;
  int same_handle = 0;
  for (int round = 0; round < 100; ++round) {
    std::unique_ptr<engine> first = make_engine(clock);
    std::optional<scoped_timer> owner(first->schedule_after(1h, [] {}));
    first.reset();
    std::unique_ptr<engine> second = make_engine(clock);
    timer mine = second->schedule_after(1h, [] {});
    if (mine == owner->get()) ++same_handle;
    owner.reset();
    ASSERT_TRUE(mine.pending());
  }
  RecordProperty("times_that_the_handle_was_the_same", same_handle);
}

// Engines that share one entry of the table, where only the first is found without a search.
TEST(ScopedTimer, CancelsHoweverManyEnginesLive) {
  manual_clock clock;
  std::vector<std::unique_ptr<engine>> engines;
  for (int i = 0; i < 260; ++i) engines.push_back(make_engine(clock));
  std::vector<scoped_timer> owners;
  for (std::size_t i : {0u, 1u, 2u, 3u, 256u, 257u, 258u, 259u})
    owners.emplace_back(engines[i]->schedule_after(1h, [] {}));
  for (std::size_t gone : {0u, 1u, 256u, 258u}) engines[gone].reset();
  owners.clear();
  for (std::size_t left : {2u, 3u, 257u, 259u}) EXPECT_EQ(engines[left]->pending(), 0u) << left;
}

TEST(ScopedTimer, CancelsForAnEngineThatWasMoved) {
  manual_clock clock;
  std::unique_ptr<engine> first = make_engine(clock);
  std::optional<scoped_timer> owner(first->schedule_after(1h, [] {}));
  engine second(std::move(*first));
  first.reset();
  owner.reset();
  EXPECT_EQ(second.pending(), 0u);
}

TEST(ScopedTimer, IsEmptyOnceReleasedOrMovedFrom) {
  manual_clock clock;
  engine e({.manual = &clock});
  timer kept;
  {
    scoped_timer first(e.schedule_after(1h, [] {})), second(std::move(first));
    EXPECT_FALSE(first.get());  // NOLINT(bugprone-use-after-move): that it is empty then is its promise
    kept = second.release();
    EXPECT_FALSE(second.get());
  }
  EXPECT_TRUE(kept.pending());
}

}  // namespace
}  // namespace detent
