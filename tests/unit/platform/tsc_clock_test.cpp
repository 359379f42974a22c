// SPDX-License-Identifier: MIT
#include "platform/tsc_clock.hpp"

#include "platform/time_stamp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace detent::detail {
namespace {

class TscClock : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tsc_ == nullptr) GTEST_SKIP() << "the TSC of this machine is not invariant";
  }
  tsc_clock* tsc_ = tsc_clock::shared();
};

nanoseconds_t steady() { return to_ns(clock::now()); }

// Returns the time between two neighbouring readings of steady_clock, with nothing in between.
nanoseconds_t gap_of_steady_clock() {
  std::vector<nanoseconds_t> gaps;
  for (int i = 0; i < 2'001; ++i) {
    nanoseconds_t first = steady();
    gaps.push_back(steady() - first);
  }
  std::nth_element(gaps.begin(), gaps.begin() + 1'900, gaps.end());
  return gaps[1'900];
}

// The kernel calls this nonstop_tsc. The other tests of the counter are skipped on a kernel without it.
TEST(TscClockSupport, IsReportedAsTheKernelReportsIt) {
  if (base::read_time_stamp() == 0) GTEST_SKIP() << "this processor has no counter of that kind";
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && line.rfind("flags", 0) != 0) {
  }
  if (!file) GTEST_SKIP() << "the kernel reports nothing of this processor";
  const bool reported = (line + ' ').find(" nonstop_tsc ") != std::string::npos;
  EXPECT_EQ(base::time_stamp_is_invariant(), reported);
  EXPECT_EQ(tsc_clock::shared() != nullptr, reported);
}

// Exactly: not one in a second is behind the reading of steady_clock before it.
TEST_F(TscClock, IsNeverBehindSteadyClockWhereItMustNotBe) {
  const nanoseconds_t end = steady() + 1'000'000'000;
  std::size_t readings = 0, behind = 0;
  for (nanoseconds_t before = steady(); before < end; before = steady()) {
    if (tsc_->not_before_now() < before) ++behind;
    if (++readings % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  EXPECT_EQ(behind, 0U) << "of " << readings;
}

// Each reading lies between two of steady_clock, give or take what the later one of the two readings allows for. A
// machine that takes the processor away between two readings of an anchor may spoil a few.
TEST_F(TscClock, StaysWithinItsErrorOfSteadyClockForASecond) {
  const nanoseconds_t slack = gap_of_steady_clock();
  const nanoseconds_t end = steady() + 1'000'000'000;
  std::size_t readings = 0, off = 0;
  nanoseconds_t worst = 0;
  for (nanoseconds_t before = steady(); before < end; before = steady()) {
    const nanoseconds_t reported = tsc_->now(), latest = tsc_->not_before_now(), after = steady();
    const nanoseconds_t error = std::max(before - reported, reported - after);
    worst = std::max(worst, error);
    ++readings;
    if (error > latest - reported + slack) ++off;
    // The counter is not ours to move: a second of it, and not all of a processor.
    if (readings % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  EXPECT_LE(off, readings / 1'000) << "of " << readings << ", worst " << worst << " ns";
}

TEST_F(TscClock, StepsBackByNoMoreThanItsError) {
  nanoseconds_t furthest = tsc_->now(), end = steady() + 100'000'000;
  nanoseconds_t worst = 0, allowed = 0;
  while (steady() < end) {
    const nanoseconds_t reported = tsc_->now();
    worst = std::max(worst, furthest - reported);
    furthest = std::max(furthest, reported);
    allowed = std::max(allowed, tsc_->not_before_now() - reported);
  }
  EXPECT_LE(worst, 2 * allowed);
}

}  // namespace
}  // namespace detent::detail
