// SPDX-License-Identifier: MIT
// pending(): exact at rest, and never negative.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/joined_thread.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::at_end;

TEST(EnginePending, IncludesTheCallersOwnCallsAtOnceOnAWorkerDrivenEngine) {
  engine e;
  std::vector<timer> timers;
  for (std::size_t i = 1; i <= 200; ++i) {
    timers.push_back(e.schedule_after(1h, [] {}));
    ASSERT_EQ(e.pending(), i);
  }
  for (std::size_t i = 200; i-- > 0;) {
    timers[i].cancel();
    ASSERT_EQ(e.pending(), i);
  }
}

TEST(EnginePending, FallsBeforeTheCallbackRuns) {
  manual_clock clk;
  engine e({.manual = &clk});
  std::vector<std::size_t> inside;
  for (int i = 0; i < 3; ++i) e.schedule_after(1s, [&] { inside.push_back(e.pending()); });
  clk.advance(1s);
  e.poll();
  EXPECT_EQ(inside, (std::vector<std::size_t>{2, 1, 0}));
}

TEST(EnginePending, IsAlreadyDownWhenACancelledCaptureIsDestroyed) {
  manual_clock clk;
  engine e({.manual = &clk});
  std::size_t seen = 99;
  timer t = e.schedule_after(1s, at_end([&] { seen = e.pending(); }));
  t.cancel();
  EXPECT_EQ(seen, 0u);
}

TEST(EnginePending, IsNeverNegativeWhileThreadsScheduleAndCancelEachOthersTimers) {
  engine e;
  std::atomic<bool> done{false};
  std::atomic<std::size_t> worst{0};
  testing::joined_thread reader([&] {
    while (!done.load()) {
      std::size_t seen = e.pending();
      if (seen > worst.load()) worst = seen;
    }
  });
  {
    std::vector<testing::joined_thread> producers;
    for (int p = 0; p < 2; ++p) {
      producers.emplace_back([&] {
        std::vector<timer> mine;
        for (int i = 0; i < 100; ++i) {
          for (int k = 0; k < 64; ++k)
            mine.push_back(e.schedule_after(k % 2 == 0 ? duration(1us) : duration(1h), [] {}));
          testing::joined_thread([&] {
            for (timer each : mine) each.cancel();
          }).join();
          mine.clear();
        }
      });
    }
  }
  done = true;
  reader.join();
  e.stop();
  EXPECT_EQ(e.pending(), 0u);
  EXPECT_LT(worst.load(), std::size_t{1} << 32) << "a negative count";
}

}  // namespace
}  // namespace detent
