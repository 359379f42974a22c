// SPDX-License-Identifier: MIT
// The memory that `detent console` has of engines from one reading to the next.
#include "console/engine_history.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "made_up_engines.hpp"

namespace detent::tool {
namespace {

using test::busy_reading;
using test::reading_of;

console_time at(std::int64_t seconds) { return console_time(std::chrono::seconds(seconds)); }

engine_reading numbered(std::int64_t number, std::int64_t seconds) {
  engine_reading made = reading_of("engine", number, seconds);
  made.snapshot.identity.made_at = number;
  return made;
}

engine_reading shard_of(std::uint32_t shard, std::int64_t seconds) {
  return test::shard_of("orders", shard, seconds, 100, 5'000);
}

TEST(EngineHistory, HasFiguresOfTheLastFiveMinutes) {
  engine_history history;
  for (std::int64_t second = 1; second <= 1000; ++second)
    history.take({.engines = {busy_reading("engine", 1, second, 100, 5'000)}, .troubles = {}}, at(second));
  const std::vector<console_engine> engines = history.engines();
  ASSERT_EQ(engines.size(), 1U);
  const console_engine& engine = engines[0];
  EXPECT_GE(engine.seconds, 270);
  EXPECT_LE(engine.seconds, 300);
  EXPECT_NEAR(engine.row.rates[counter::fired], 100, 0.1);
  EXPECT_EQ(engine.row.times[cause::lateness].count, static_cast<std::uint64_t>(100 * engine.seconds));
  ASSERT_GE(engine.history.size(), 300U);
  EXPECT_LE(engine.history.size(), 301U);
  EXPECT_EQ(engine.history.back().at, at(1000));
  EXPECT_NEAR(engine.history.back().fired, 100, 0.1);
}

TEST(EngineHistory, HasOneLineForAllFilesOfProcessesThatAreGone) {
  engine_history history;
  history.take({.engines = {}, .troubles = {"a: cut short"}, .left = {{"b", "b: stale"}}}, at(1));
  EXPECT_EQ(history.troubles(), (std::vector<std::string>{"b: stale", "a: cut short"}));
  history.take({.engines = {}, .troubles = {"a: cut short"}, .left = {{"b", "b: stale"}, {"c", "c: stale"}}}, at(2));
  ASSERT_EQ(history.troubles().size(), 2u);
  EXPECT_EQ(history.troubles()[0],
            "2 files are of processes that are gone (detent stat --tidy removes them); the first: b: stale");
}

TEST(EngineHistory, TellsAKilledEngineFromOneThatHasEnded) {
  engine_reading killed = numbered(1, 1), ended = numbered(2, 1);
  killed.snapshot.identity.path = "/dev/shm/detent.1.0";
  ended.snapshot.identity.path = "/dev/shm/detent.2.0";
  engine_history history;
  history.take({.engines = {killed, ended}, .troubles = {}}, at(1));
  const auto state = [&](std::size_t i) { return std::pair(history.engines()[i].live, history.engines()[i].killed); };
  EXPECT_EQ(state(0), std::pair(true, false));
  history.take({.engines = {}, .troubles = {}, .left = {{"/dev/shm/detent.1.0", "stale"}}}, at(2));
  EXPECT_EQ(state(0), std::pair(false, true));
  EXPECT_EQ(state(1), std::pair(false, false));
  history.take({.engines = {}, .troubles = {}}, at(3));  // the file has been removed by then
  EXPECT_EQ(state(0), std::pair(false, true));
}

TEST(EngineHistory, StaysBoundedWhileEnginesComeAndGo) {
  engine_history history;
  for (std::int64_t second = 1; second <= 20; ++second) {
    host_reading reading;
    for (std::int64_t i = 0; i < 600; ++i) reading.engines.push_back(numbered(1000 * second + i, second));
    for (std::int64_t i = 0; i < 5'000; ++i) reading.troubles.push_back("a file that is none");
    history.take(std::move(reading), at(second));
    std::set<std::string> ids;
    std::size_t live = 0;
    for (const console_engine& each : history.engines()) {
      ids.insert(each.id);
      live += each.live ? 1 : 0;
    }
    EXPECT_LE(ids.size(), 512U);
    EXPECT_EQ(ids.size(), history.engines().size());
    EXPECT_GE(live, 400U) << "what has ended makes room";
    EXPECT_LE(history.troubles().size(), 100U);
  }
  history.take({}, at(21));
  EXPECT_EQ(history.engines().size(), 64U);
  history.take({}, at(400));
  EXPECT_TRUE(history.engines().empty());
}

TEST(EngineHistory, ShowsASetAsOneWhoseShardsMayEnd) {
  engine_history history;
  history.take({.engines = {shard_of(0, 1), shard_of(1, 1)}, .troubles = {}}, at(1));
  history.take({.engines = {shard_of(0, 2), shard_of(1, 2)}, .troubles = {}}, at(2));
  ASSERT_EQ(history.engines().size(), 1U);
  const console_engine both = history.engines()[0];
  EXPECT_EQ(both.row.identity.name, "orders x2");
  EXPECT_EQ(both.shards.size(), 2U);
  EXPECT_NEAR(both.row.rates[counter::fired], 200, 0.1);
  EXPECT_NEAR(both.history.back().fired, 200, 0.1);

  history.take({.engines = {shard_of(0, 3)}, .troubles = {}}, at(3));
  const console_engine one = history.engines()[0];
  EXPECT_EQ(one.id, both.id);
  EXPECT_TRUE(one.live);
  EXPECT_NEAR(one.row.rates[counter::fired], 100, 0.1);
  ASSERT_EQ(one.shards.size(), 2U);
  EXPECT_TRUE(one.shards[0].live);
  EXPECT_FALSE(one.shards[1].live);
}

// A forged file may name another set in each reading.
TEST(EngineHistory, ForgetsASetOfWhichNoEngineIsAnyMore) {
  engine_history history;
  for (std::int64_t second = 1; second <= 100; ++second) {
    engine_reading forged = shard_of(0, second);
    forged.snapshot.identity.set = second <= 50 || second == 100 ? 1 : static_cast<std::uint32_t>(second);
    history.take({.engines = {forged}, .troubles = {}}, at(second));
    ASSERT_EQ(history.engines().size(), 1U);
    if (second == 50) {
      EXPECT_EQ(history.engines()[0].history.size(), 49U);
    }
  }
  EXPECT_EQ(history.engines()[0].history.size(), 1U);
}

// Shards are read one after the other, so never exactly one second after the last time.
TEST(EngineHistory, HasFiguresOfASetFromTheSameReadings) {
  engine_history history;
  for (std::int64_t second = 1; second <= 1'200; ++second) {
    engine_reading first = shard_of(0, second), other = shard_of(1, second);
    first.snapshot.read_at += second * 7'919 % 100'000;
    other.snapshot.read_at += second * 7'907 % 100'000;
    history.take({.engines = {first, other}, .troubles = {}}, at(second));
    const console_engine both = history.engines()[0];
    if (second == 1) continue;
    EXPECT_NEAR(both.row.rates[counter::fired], 200, 1) << second;
  }
}

TEST(EngineHistory, StaysBoundedWhereTheWallClockIsSetBack) {
  engine_history history;
  for (std::int64_t second = 1; second <= 1'000; ++second)
    history.take({.engines = {busy_reading("engine", 1, second, 100, 5'000)}, .troubles = {}},
                 at(100'000 + second - (second > 400 ? 50'000 : 0)));
  EXPECT_LE(history.engines()[0].history.size(), 301U);
}

// Ended engines with large readings could take more room than all the others.
TEST(EngineHistory, StaysBoundedInBytes) {
  test::recorded everywhere;
  for (std::uint64_t value = 1; value < 1'000'000'000; value += 1 + value / 200) everywhere.emplace_back(value, 1);
  label_snapshot label;
  for_each_key<cause>([&](cause key) { label.histograms[key] = test::histogram_of(everywhere); });
  engine_history history;
  std::size_t bytes = 0;
  for (std::int64_t second = 1; second <= 3; ++second) {
    host_reading reading;
    for (std::int64_t i = 0; i < 20; ++i) {
      reading.engines.push_back(numbered(i, second));
      reading.engines.back().snapshot.labels.assign(4, label);
      bytes += bytes_of(label.histograms) * 4;
    }
    history.take(std::move(reading), at(second));
  }
  ASSERT_GT(bytes, std::size_t{20} << 20);
  history.take({}, at(4));
  EXPECT_LT(history.engines().size(), 10U);
  EXPECT_GE(history.engines().size(), 1U);
}

}  // namespace
}  // namespace detent::tool
