// SPDX-License-Identifier: MIT
#include "counters/counters_histogram.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "counters/histogram_recorder.hpp"

namespace detent::tool {
namespace {

constexpr std::uint32_t buckets = counters_layout::histogram_buckets;

// The words of a histogram in a file.
struct words {
  std::vector<std::uint64_t> all = std::vector<std::uint64_t>(buckets + 2);

  words& record(std::int64_t ns, std::uint64_t times = 1) {
    all[detent::detail::histogram_scale::bucket(static_cast<std::uint64_t>(ns))] += times;
    all[buckets] += static_cast<std::uint64_t>(ns) * times;
    all[buckets + 1] = std::max(all[buckets + 1], static_cast<std::uint64_t>(ns));
    return *this;
  }
  counters_histogram read() const { return counters_histogram(all); }
};

TEST(CountersHistogram, SaysOfItsValuesWhatTheEnginesMetricsSay) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20; ++round) {
    words written;
    detent::detail::histogram_recorder recorder;
    for (int i = 0; i < 500; ++i) {
      const auto ns = static_cast<std::int64_t>(random() >> (1 + random() % 63));
      written.record(ns);
      recorder.record(ns, true);
    }
    const counters_histogram ours = written.read();
    const histogram theirs = recorder.snapshot();
    EXPECT_EQ(ours.count(), theirs.count());
    EXPECT_EQ((ours.max)(), (theirs.max)());
    for (const double p : {0.0, 1.0, 50.0, 90.0, 99.0, 99.9, 100.0})
      EXPECT_EQ(ours.percentile(p), theirs.percentile(p));
  }
}

TEST(CountersHistogram, EachBucketsValuesAreThoseThatTheCoreRecordsInIt) {
  std::int64_t next = 0;
  for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
    const counters_histogram::range range = counters_histogram::values_of(bucket);
    ASSERT_EQ(range.least, next) << bucket;
    ASSERT_EQ(detent::detail::histogram_scale::bucket(static_cast<std::uint64_t>(range.least)), bucket);
    ASSERT_EQ(detent::detail::histogram_scale::bucket(static_cast<std::uint64_t>(range.most)), bucket);
    next = static_cast<std::int64_t>(static_cast<std::uint64_t>(range.most) + 1);
  }
  EXPECT_EQ(next, std::numeric_limits<std::int64_t>::min());  // one more than the largest
}

TEST(CountersHistogram, WordsOfAnyValueAreNoReasonToWrapOrToFail) {
  words written;
  for (std::uint64_t& word : written.all) word = ~std::uint64_t{0};
  counters_histogram read = written.read();
  EXPECT_EQ(read.count(), ~std::uint64_t{0});
  EXPECT_EQ((read.max)(), (duration::max)());
  EXPECT_GE(read.percentile(50), duration(0));
  EXPECT_GE(read.mean(), duration(0));
  read.add_zeros(5);
  EXPECT_EQ(read.count(), ~std::uint64_t{0});
  EXPECT_EQ(read.since(read).count(), 0U);
}

TEST(CountersHistogram, ASumThatHasWrappedIsComputedFromTheBuckets) {
  constexpr std::int64_t year = 31'536'000'000'000'000;
  const counters_histogram read = words().record(year, 1'000).read();
  EXPECT_EQ(read.sum(), (duration::max)());
  const counters_histogram less = words().record(year, 291).read();  // 9.18e18 is too large to be believed
  EXPECT_NEAR(static_cast<double>(less.sum().count()), 291.0 * year, 0.01 * 291 * year);
}

}  // namespace
}  // namespace detent::tool
