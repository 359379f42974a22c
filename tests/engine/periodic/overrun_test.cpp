// SPDX-License-Identifier: MIT
// A periodic timer on a pool whose callback outlasts its period: one run at a time, and the periods that passed
// meanwhile follow their policy.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

constexpr duration period = 50us, outlasting = 220us;

// What the runs of one timer saw, in a pool of threads enough for runs that overlap.
struct overrun {
  explicit overrun(missed_ticks policy) {
    engine worker({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 3})});
    worker.schedule_at_fixed_rate(0ns, period,
                                  [this](firing& f) {
                                    overlaps += ++inside > 1 ? 1 : 0;
                                    deadlines.push_back(f.deadline());
                                    started.push_back(f.started());
                                    missed.push_back(f.missed());
                                    std::this_thread::sleep_for(outlasting);  // the other threads could start the next
                                    --inside;
                                    ++runs;
                                  },
                                  {.missed = policy});
    reached = eventually([&] { return runs >= 40; });
    worker.stop();
  }

  std::atomic<int> inside{0}, overlaps{0}, runs{0};
  // A race, if two runs were at once.
  std::vector<time_point> deadlines, started;
  std::vector<std::uint64_t> missed;
  bool reached = false;
};

TEST(EnginePeriodicOverrun, SkipsAndCountsThePeriodsThatPassed) {
  overrun seen(missed_ticks::skip);
  ASSERT_TRUE(seen.reached);
  EXPECT_EQ(seen.overlaps, 0);
  for (std::size_t i = 1; i < seen.deadlines.size(); ++i) {
    EXPECT_EQ(seen.deadlines[i] - seen.deadlines[i - 1], (seen.missed[i] + 1) * period) << "run " << i;
    EXPECT_GE(seen.missed[i], 3u) << "run " << i;
    EXPECT_GT(seen.deadlines[i] + period, seen.started[i]) << "run " << i << " is not for the latest period";
  }
}

TEST(EnginePeriodicOverrun, BurstRunsEveryPeriodOneAfterTheOther) {
  overrun seen(missed_ticks::burst);
  ASSERT_TRUE(seen.reached);
  EXPECT_EQ(seen.overlaps, 0);
  for (std::size_t i = 1; i < seen.deadlines.size(); ++i) {
    EXPECT_EQ(seen.deadlines[i] - seen.deadlines[i - 1], period) << "run " << i;
    EXPECT_EQ(seen.missed[i], 0u) << "run " << i;
  }
}

TEST(EnginePeriodicOverrun, DelayCountsThemAndTheNextPeriodFromTheLateStart) {
  overrun seen(missed_ticks::delay);
  ASSERT_TRUE(seen.reached);
  EXPECT_EQ(seen.overlaps, 0);
  for (std::size_t i = 1; i < seen.deadlines.size(); ++i) {
    EXPECT_GE(seen.missed[i], 3u) << "run " << i;
    if (i == 1) continue;  // the first run may have been on time
    EXPECT_EQ(seen.deadlines[i], seen.started[i - 1] + period) << "run " << i;
  }
}

}  // namespace
}  // namespace detent
