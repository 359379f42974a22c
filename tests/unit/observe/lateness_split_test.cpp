// SPDX-License-Identifier: MIT
#include "observe/lateness_split.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "limits.hpp"

namespace detent::detail {
namespace {

void expect_parts(const lateness_parts& reported, nanoseconds_t drain, nanoseconds_t wait, nanoseconds_t worker) {
  EXPECT_EQ(reported.drain, drain);
  EXPECT_EQ(reported.wait, wait);
  EXPECT_EQ(reported.worker, worker);
}

lateness_parts split(const lateness_split& of, nanoseconds_t deadline, std::uint32_t taken_up, nanoseconds_t now) {
  return of.split(deadline, subtract_saturated(now, deadline), taken_up);
}

// A driver that came back from its wait at `back`.
lateness_split back_at(nanoseconds_t back) {
  lateness_split made;
  made.looked(INT64_MIN);
  made.wait_begins();
  made.looked(back);
  return made;
}

TEST(LatenessSplit, OnlyTheFirstLookEndsTheWait) {
  lateness_split s = back_at(700);
  s.looked(900);
  s.looked_again(950);
  expect_parts(split(s, 400, 0, 1000), 0, 300, 300);
  s.wait_begins();
  s.looked_again(990);  // of a callback's end: no end of a wait
  s.looked(995);
  expect_parts(split(s, 400, 0, 1000), 0, 45, 555);  // it was busy until 950
}

TEST(LatenessSplit, WhatIsTakenUpInTimeHasNoStamp) {
  lateness_split s = back_at(1001);
  s.drain_begins();
  EXPECT_FALSE(s.is_late(1001));
  EXPECT_FALSE(s.is_late(1002));
  EXPECT_TRUE(s.is_late(1000));
  for (placement other : {placement(), placement().next_entry(), placement::first_pass()})
    EXPECT_EQ(s.taken_up(other, 0), 0u) << other.number();
  EXPECT_NE(s.taken_up(s.late_drain(), 1000), 0u);
  EXPECT_EQ(s.taken_up(s.late_drain(), 1001), 0u) << "restarted since, to a deadline that had not come";
}

TEST(LatenessSplit, AStampIsExactToANanosecond) {
  for (nanoseconds_t at : {1000, 1001, 1002, 1003}) {
    lateness_split s = back_at(at);
    s.drain_begins();
    const lateness_parts reported = split(s, 500, s.taken_up(s.late_drain(), 500), at);
    EXPECT_LE(at - 500 - reported.drain, 1) << at;
    EXPECT_EQ(reported.drain + reported.wait + reported.worker, at - 500) << at;
  }
}

TEST(LatenessSplit, TheLastDrainsAreKnownAndOlderOnesCountAsLater) {
  lateness_split s = back_at(1001);
  s.drain_begins();
  const placement first = s.late_drain();
  for (int i = 1; i < static_cast<int>(limits::late_drains); ++i) {
    s.looked(1001 + 2 * i);
    s.drain_begins();
  }
  expect_parts(split(s, 1, s.taken_up(first, 1), 10'001), 1000, 0, 9000);
  s.looked(2001);
  s.drain_begins();
  expect_parts(split(s, 1, s.taken_up(first, 1), 10'001), 2000, 0, 8000);  // forgotten: later than it was
}

TEST(LatenessSplit, HowLateItWasTakenUpIsExactForTwoSecondsAndThenByTheMillisecond) {
  for (nanoseconds_t late : {1LL, 1000LL, 2'147'483'647LL}) {
    lateness_split s = back_at(1000 + late);
    s.drain_begins();
    const std::uint32_t taken_up = s.taken_up(s.late_drain(), 1000);
    // However long after.
    for (nanoseconds_t after : {0LL, 5'000'000'000LL, 3'600'000'000'000LL})
      expect_parts(split(s, 1000, taken_up, 1000 + late + after), late, 0, after);
  }
  for (nanoseconds_t late : {2'147'483'648LL, 86'400'000'000'000LL}) {
    lateness_split s = back_at(1000 + late);
    s.drain_begins();
    const lateness_parts reported = split(s, 1000, s.taken_up(s.late_drain(), 1000), 1000 + late);
    EXPECT_LE(reported.drain, late);
    EXPECT_LT(late - reported.drain, nanoseconds_t{1} << 20);
    EXPECT_EQ(reported.drain + reported.wait + reported.worker, late);
  }
}

TEST(LatenessSplit, ReachesOverAllOfTime) {
  expect_parts(split(back_at(INT64_MAX), INT64_MIN, 0, INT64_MAX), 0, INT64_MAX, 0);
  expect_parts(split(back_at(INT64_MIN), INT64_MIN, 0, INT64_MAX), 0, 0, INT64_MAX);
  const lateness_parts cut = split(back_at(1), INT64_MIN, 0, INT64_MAX);
  EXPECT_EQ(cut.drain, 0);
  EXPECT_EQ(cut.wait + cut.worker, INT64_MAX);
  lateness_split s = back_at(INT64_MAX - 2);  // odd
  s.drain_begins();
  const lateness_parts all = split(s, INT64_MIN, s.taken_up(s.late_drain(), INT64_MIN), INT64_MAX - 2);
  EXPECT_GT(all.drain, 0);
  EXPECT_EQ(all.drain + all.wait + all.worker, INT64_MAX);
}

}  // namespace
}  // namespace detent::detail
