// SPDX-License-Identifier: MIT
#include "counters/histogram_recorder.hpp"

#include "support/random_source.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace detent::detail {
namespace {

histogram of(const std::vector<nanoseconds_t>& values) {
  auto recorder = std::make_unique<histogram_recorder>();
  for (nanoseconds_t each : values) recorder->record(each, true);
  return recorder->snapshot();
}

std::vector<nanoseconds_t> one_to(nanoseconds_t last) {
  std::vector<nanoseconds_t> values;
  for (nanoseconds_t value = 1; value <= last; ++value) values.push_back(value);
  return values;
}

TEST(HistogramScale, ErrsByLessThanOnePercent) {
  test::random_source random(21);
  auto check = [](std::uint64_t value) {
    std::size_t bucket = histogram_scale::bucket(value);
    ASSERT_LT(bucket, histogram_scale::buckets) << value;
    double reported = static_cast<double>(histogram_scale::value(bucket)),
           error = std::abs(reported - static_cast<double>(value));
    ASSERT_LE(error, 0.01 * static_cast<double>(value)) << value;
  };
  for (std::uint64_t value = 0; value < 5'000; ++value) check(value);
  for (unsigned bit = 0; bit < 63; ++bit) {
    for (std::uint64_t near : {0U, 1U, 2U}) check((std::uint64_t{1} << bit) - 1 + near);
  }
  check(INT64_MAX);
  for (int i = 0; i < 20'000; ++i) check(static_cast<std::uint64_t>(random.any_magnitude(63)));
}

TEST(Histogram, IsAllZeroWhenEmpty) {
  for (const histogram& empty : {histogram(), of({})}) {
    EXPECT_EQ(empty.count(), 0U);
    EXPECT_EQ(empty.percentile(50), duration(0));
    EXPECT_EQ(empty.max(), duration(0));
    EXPECT_EQ(empty.mean(), duration(0));
  }
}

TEST(Histogram, ReportsCountMaxAndMeanExactly) {
  histogram reported = of({1'000'003, 7, 2'000'000, 0});
  EXPECT_EQ(reported.count(), 4U);
  EXPECT_EQ(reported.max(), duration(2'000'000));
  EXPECT_EQ(reported.mean(), duration(3'000'010 / 4));
}

TEST(Histogram, CountsWhatIsEarlyAsZero) {
  histogram reported = of({-5, INT64_MIN});
  EXPECT_EQ(reported.count(), 2U);
  EXPECT_EQ(reported.max(), duration(0));
  EXPECT_EQ(reported.mean(), duration(0));
  EXPECT_EQ(reported.percentile(100), duration(0));
}

TEST(Histogram, ReportsOneValueForEachPercentage) {
  for (nanoseconds_t value :
       {nanoseconds_t{0}, nanoseconds_t{1}, nanoseconds_t{123'456'789}, nanoseconds_t{INT64_MAX}}) {
    histogram reported = of({value});
    for (double p : {0.0, 50.0, 99.9, 100.0}) EXPECT_EQ(reported.percentile(p), duration(value));
  }
}

// Below 256 a bucket is one value: each percentile can be exact.
TEST(Histogram, ReportsTheSmallestValueThatSoManyPercentDoNotExceed) {
  histogram hundred = of(one_to(100)), ten = of(one_to(10)), uneven = of({1, 1, 1, 9});
  for (int p = 1; p <= 100; ++p) EXPECT_EQ(hundred.percentile(p), duration(p));
  EXPECT_EQ(hundred.percentile(0), duration(1));
  EXPECT_EQ(ten.percentile(50), duration(5));
  EXPECT_EQ(ten.percentile(90), duration(9));
  EXPECT_EQ(uneven.percentile(75), duration(1));
}

// Nine in ten do not exceed the ninth of ten, which is fewer than 91 percent.
TEST(Histogram, ReportsNoPercentileThatTooFewReach) {
  histogram ten = of(one_to(10));
  EXPECT_EQ(ten.percentile(91), duration(10));
  EXPECT_EQ(ten.percentile(51), duration(6));
  EXPECT_EQ(of({1, 1, 1, 9}).percentile(76), duration(9));
  EXPECT_EQ(of(one_to(130)).percentile(99), duration(129));
  EXPECT_EQ(of(one_to(140)).percentile(99), duration(139));
  EXPECT_EQ(of(one_to(120)).percentile(99.9), duration(120));
  EXPECT_EQ(of(one_to(240)).percentile(99), duration(238));
}

TEST(Histogram, HoldsPercentagesAtTheEnds) {
  histogram reported = of(one_to(10));
  EXPECT_EQ(reported.percentile(-3), duration(1));
  EXPECT_EQ(reported.percentile(1'000), duration(10));
}

TEST(Histogram, NeverReportsMoreThanTheMaximum) {
  histogram reported = of({1'000'001, 1'000'002, 1'000'003});  // one bucket, whose middle lies above all of them
  for (double p : {1.0, 50.0, 99.0, 100.0}) EXPECT_LE(reported.percentile(p), reported.max());
}

// A jump in virtual time makes many timers late by years.
TEST(Histogram, ReportsTheMeanOfHugeValues) {
  histogram reported = of({INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX});
  EXPECT_NEAR(static_cast<double>(reported.mean().count()), 9.2e18, 0.1e18);
}

// The promise of operator+=, whichever of the two is empty, was never filled, or is the same object.
TEST(Histogram, MergesToTheHistogramOfTheUnion) {
  test::random_source random(test::new_seed());
  std::vector<nanoseconds_t> one, other;
  for (int i = 0; i < 3'000; ++i) (i % 3 == 0 ? one : other).push_back(random.any_magnitude(50));
  std::vector<nanoseconds_t> all = one;
  all.insert(all.end(), other.begin(), other.end());
  histogram merged = of(one);
  merged += of(other);
  EXPECT_TRUE(merged == of(all));
  EXPECT_FALSE(merged == of(one));
  const histogram whole = of(all);
  for (double p = 0.05; p < 100; p += 0.3) ASSERT_EQ(merged.percentile(p), whole.percentile(p)) << p;
  EXPECT_EQ(merged.max(), of(all).max());
  EXPECT_NEAR(static_cast<double>(merged.mean().count()), static_cast<double>(of(all).mean().count()),
              1e-9 * static_cast<double>(of(all).mean().count()));
  histogram unfilled;
  EXPECT_TRUE(unfilled == of({}));
  unfilled += of(one);
  EXPECT_TRUE(unfilled == of(one));
  unfilled += histogram();
  unfilled += of({});
  EXPECT_TRUE(unfilled == of(one));
  unfilled += unfilled;
  const std::vector<nanoseconds_t> again = one;
  one.insert(one.end(), again.begin(), again.end());
  EXPECT_TRUE(unfilled == of(one));
}

}  // namespace
}  // namespace detent::detail
