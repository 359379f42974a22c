// SPDX-License-Identifier: MIT
// The shards of a sharded_engine as one: read from its files, and folded.
#include "counters/counters_set.hpp"

#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "counters/counters_file.hpp"
#include "support/counters_image.hpp"
#include "support/temporary_directory.hpp"

namespace detent::tool {
namespace {

using namespace std::chrono_literals;

class CountersSet : public ::testing::Test {
 protected:
  std::vector<counters_snapshot> read(std::size_t files) const {
    std::vector<counters_snapshot> found;
    for (std::size_t i = files; i-- != 0;) found.push_back(counters_file(path_ + "." + std::to_string(i)).read());
    return found;
  }

  test::temporary_directory directory_;
  const std::string path_ = directory_.path() + "/set";
};

TEST_F(CountersSet, IsOneWhoseFiguresAreThoseOfTheUnion) {
  manual_clock clock;
  sharded_engine set({.name = "orders", .shards = 3, .each = {.manual = &clock, .counters_file = path_}});
  for (std::size_t shard = 0; shard < 3; ++shard) {
    for (std::size_t i = 0; i < 10 * (shard + 1); ++i) set[shard].schedule_after(1ms, [] {});
  }
  set[2].schedule_after(1h, [] {});
  for (std::size_t shard = 0; shard < 3; ++shard) {
    clock.advance(1ms);
    set[shard].poll();
  }
  std::vector<counters_snapshot> engines = read(3);
  engines.insert(engines.begin() + 1, counters_snapshot());  // an engine of no set
  fold_sets(engines);
  ASSERT_EQ(engines.size(), 2U);
  const counters_snapshot& all = engines[0];
  EXPECT_EQ(all.identity.name, "orders x3");
  EXPECT_EQ(all.totals[counter::fired], 60U);
  EXPECT_EQ(all.pending(), 1U);
  EXPECT_EQ(all.histograms[cause::lateness].count(), 60U);
  EXPECT_EQ((all.histograms[cause::lateness].max)(), 2ms);
  for (const double p : {10.0, 50.0, 90.0}) {
    const auto exact = static_cast<double>(set.metrics().lateness.percentile(p).count());
    EXPECT_EQ(static_cast<double>(all.histograms[cause::lateness].percentile(p).count()), exact) << p;
  }
  ASSERT_TRUE(all.set.has_value());
  EXPECT_DOUBLE_EQ(all.set->skew, 1.5);
  EXPECT_EQ(all.set->busiest, 2U);
  EXPECT_EQ(all.set->worst, 2U);
  EXPECT_NEAR(all.set->worst_p99, 2e6, 2e4);
  EXPECT_EQ(text_of(*all.set), "3 shards; skew 1.50 (most runs: shard 2); worst p99 2 ms (shard 2)");
  EXPECT_FALSE(engines[1].set.has_value());
}

TEST_F(CountersSet, SaysThatSomeShardsCannotBeRead) {
  sharded_engine set({.shards = 3, .each = {.drive = drive_kind::caller, .counters_file = path_}});
  std::vector<counters_snapshot> engines = read(2);
  fold_sets(engines);
  ASSERT_EQ(engines.size(), 1U);
  EXPECT_TRUE(text_of(*engines[0].set).starts_with("3 shards, of which 2 can be read;"));
}

TEST_F(CountersSet, TwoSetsOfOneNameStayTwo) {
  sharded_engine one({.shards = 2, .each = {.drive = drive_kind::caller, .counters_file = path_}});
  const std::string other_path = directory_.path() + "/other";
  sharded_engine other({.shards = 2, .each = {.drive = drive_kind::caller, .counters_file = other_path}});
  std::vector<counters_snapshot> engines = read(2);
  for (const char* number : {".0", ".1"}) engines.push_back(counters_file(other_path + number).read());
  fold_sets(engines);
  EXPECT_EQ(engines.size(), 2U);
}

// The bytes that an earlier version has after its shorter header name no set.
TEST_F(CountersSet, FilesWithTheShorterHeaderAreOfNone) {
  test::counters_image image;
  counters_layout::header header = image.header();
  header.header_bytes = counters_layout::least_header_bytes;
  header.set = header.shards = 7;
  image.put(header);
  image.write(path_);
  const counters_snapshot read = counters_file(path_).read();
  EXPECT_EQ(read.identity.set, 0U);
  EXPECT_EQ(read.identity.shards, 0U);
}

}  // namespace
}  // namespace detent::tool
