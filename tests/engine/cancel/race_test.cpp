// SPDX-License-Identifier: MIT
// Cancelling while the timer fires: exactly one of the two happens.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/joined_thread.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::census;
using testing::eventually;

constexpr int rounds = 1500;

// Cancels timers about when they fire, and checks each: run or cancelled, never both, never neither.
void race_cancel_against_firing(engine_options options, bool wait) {
  test::random_source random(20260727);
  engine e(std::move(options));
  census callables;
  int cancelled = 0;
  std::atomic<int> ran{0};
  for (int i = 0; i < rounds; ++i) {
    std::atomic<int> starts{0};
    timer t = e.schedule_after(random.between<std::int64_t>(0, 30) * 1us, [&starts, &ran, here = callables.join()] {
      starts.fetch_add(1);
      ran.fetch_add(1);
    });
    const time_point until = clock::now() + random.between<std::int64_t>(0, 60) * 1us;
    while (clock::now() < until) std::this_thread::yield();
    cancel_result result = t.cancel();
    if (result == cancel_result::cancelled) {
      ++cancelled;
      ASSERT_EQ(callables.living(), 0);
      ASSERT_EQ(starts.load(), 0);
    } else {
      if (wait) t.cancel_and_wait();
      ASSERT_TRUE(eventually([&] { return starts.load() == 1 && callables.living() == 0; }));
    }
    ASSERT_NE(t.cancel(), cancel_result::cancelled);
  }
  e.stop();
  EXPECT_EQ(cancelled + ran.load(), rounds);
  EXPECT_EQ(callables.ended(), rounds);
  EXPECT_EQ(e.pending(), 0u);
}

TEST(EngineCancelRace, EitherRunsOrCancelsInline) { race_cancel_against_firing({.wait = wait_options::busy()}, false); }

TEST(EngineCancelRace, EitherRunsOrCancelsInlineWaiting) { race_cancel_against_firing({}, true); }

TEST(EngineCancelRace, EitherRunsOrCancelsOnAPool) {
  race_cancel_against_firing({.executor = std::make_shared<thread_pool>()}, true);
}

TEST(EngineCancelRace, LetsExactlyOneOfManyCancellersWin) {
  engine e;
  for (int i = 0; i < 300; ++i) {
    census callables;
    timer t = e.schedule_after(1h, [here = callables.join()] {});
    std::atomic<int> won{0}, ready{0};
    {
      std::vector<testing::joined_thread> cancellers;
      for (int c = 0; c < 3; ++c) {
        cancellers.emplace_back([&] {
          ready.fetch_add(1);
          while (ready.load() != 3) std::this_thread::yield();
          if (t.cancel() == cancel_result::cancelled) won.fetch_add(1);
        });
      }
    }
    ASSERT_EQ(won.load(), 1);
    ASSERT_EQ(callables.ended(), 1);
  }
}

// A stale handle reaches no other timer, although places are used again at once.
TEST(EngineCancelRace, DoesNotReachTheNextTimerInAPlace) {
  engine e;
  constexpr int generations = 20'000;
  std::vector<timer> stale(generations);
  std::atomic<int> shown{0};
  std::atomic<bool> done{false};
  std::atomic<int> reached{0};
  testing::joined_thread other([&] {
    while (!done.load()) {
      int last = shown.load();
      if (last > 0 && stale[static_cast<std::size_t>(last - 1)].cancel() != cancel_result::gone) reached.fetch_add(1);
    }
  });
  int lost = 0;
  for (int i = 0; i < generations; ++i) {
    stale[static_cast<std::size_t>(i)] = e.schedule_after(1h, [] {});
    stale[static_cast<std::size_t>(i)].cancel();
    shown = i + 1;
    timer next = e.schedule_after(1h, [] {});
    if (next.cancel() != cancel_result::cancelled) ++lost;
  }
  done = true;
  other.join();
  EXPECT_EQ(reached.load(), 0);
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace detent
