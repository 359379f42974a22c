// SPDX-License-Identifier: MIT
// The history of engines over an hour in `detent console`: their curves, the time since when they have been in trouble,
// and those that are gone.
#include "console/long_history.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "made_up_console.hpp"

namespace detent::tool {
namespace {

using namespace std::chrono_literals;
using test::made_up_engine;
using test::noon;

// Makes an engine at that time whose last ten seconds were read. If it is in trouble, it misses periods.
console_engine engine_at(console_time at, bool is_bad = false, std::int64_t process = 1) {
  console_engine made = made_up_engine("orders", process, 1'000, 50'000, 10, at);
  if (is_bad) made.row.rates[counter::missed] = 1;
  return made;
}

long_history fed(console_time from, console_time until, const std::vector<std::pair<console_time, console_time>>& bad) {
  long_history made(1h);
  for (console_time at = from; at <= until; at += 10s) {
    bool is_bad = false;
    for (const auto& [begin, end] : bad) is_bad = is_bad || (begin <= at && at < end);
    made.take({engine_at(at, is_bad)}, at);
  }
  return made;
}

TEST(LongHistory, KeepsTheWorstSecondAndTheMeanRateOfEachStep) {
  long_history kept(1h);
  console_engine engine = engine_at(noon);
  engine.history[3].p99 = 7e9;
  engine.history[5].fired = 50'000;
  double fired = 0;
  for (const console_sample& each : engine.history) fired += each.fired / 10;
  kept.take({engine}, noon);
  kept.take({}, noon + 10s);
  const std::vector<console_sample> samples = kept.samples("1.0", noon + 10s);
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_FLOAT_EQ(static_cast<float>(samples[0].p99.value_or(0)), 7e9F);
  EXPECT_FLOAT_EQ(static_cast<float>(samples[0].fired), static_cast<float>(fired));
  EXPECT_DOUBLE_EQ(samples[0].seconds, 10);
  EXPECT_EQ(samples[0].at, noon);
  EXPECT_TRUE(kept.samples("2.0", noon).empty());
}

TEST(LongHistory, IsOfAnHour) {
  const long_history kept = fed(noon - 2h, noon, {});
  EXPECT_EQ(kept.samples("1.0", noon).size(), kept_steps);
  EXPECT_FALSE(kept.trouble("1.0", noon));
}

TEST(LongHistory, KnowsSinceWhenAnEngineHasBeenInTrouble) {
  const auto since = [](const std::vector<std::pair<console_time, console_time>>& bad) {
    return fed(noon - 50min, noon, bad).trouble("1.0", noon).value();
  };
  const console_time began = noon - 18min;
  EXPECT_EQ(since({{began, noon + 1s}}).from, began - 10s);
  EXPECT_EQ(since({{began, noon + 1s}}).judged, severity::bad);
  EXPECT_FALSE(since({{began, noon + 1s}}).may_be_older);
  // The page counts over five minutes, so a shorter pause does not interrupt the trouble.
  EXPECT_EQ(since({{began, noon - 9min}, {noon - 5min, noon + 1s}}).from, began - 10s);
  EXPECT_EQ(since({{began, noon - 9min}, {noon - 2min, noon + 1s}}).from, noon - 2min - 10s);
  EXPECT_FALSE(fed(noon - 50min, noon, {{began, noon}}).trouble("1.0", noon)) << "it is over";
}

TEST(LongHistory, SaysWhereTheTroubleMayBeOlderThanWhatIsKept) {
  const auto kept = fed(noon - 3h, noon, {{noon - 2h, noon + 1s}});
  ASSERT_TRUE(kept.trouble("1.0", noon));
  EXPECT_TRUE(kept.trouble("1.0", noon)->may_be_older);
}

TEST(LongHistory, GoesOnWithWhatAnEarlierConsoleHasKept) {
  std::vector<history_file::contents> contents(most_kept);
  long_history before = fed(noon - 20min, noon - 1min, {{noon - 18min, noon}});
  for (const long_history::change& each : before.changes()) {
    contents[each.place].engine = each.engine;
    contents[each.place].samples.push_back(each.sample);
  }
  long_history after(1h);
  after.take_over(contents);
  after.take({engine_at(noon, true)}, noon);
  EXPECT_EQ(after.trouble("1.0", noon).value().from, noon - 18min - 10s);
  EXPECT_EQ(after.samples("1.0", noon).size(), before.samples("1.0", noon).size() + 1);
  const auto changes = after.changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].engine.id, "1.0");
  EXPECT_TRUE(after.changes().empty());
}

TEST(LongHistory, IsBounded) {
  long_history kept(1h);
  std::vector<console_engine> engines;
  for (std::int64_t i = 0; i != 700; ++i) engines.push_back(engine_at(noon, false, i + 1));
  kept.take(engines, noon);
  EXPECT_EQ(kept.changes().size(), most_kept);
  EXPECT_TRUE(kept.samples("700.0", noon).empty());
  // Engines that were missing in the step before make room.
  for (const auto later : {10s, 20s}) {
    for (console_engine& each : engines) each = engine_at(noon + later, false, each.row.identity.process % 1000 + 1000);
    kept.take(engines, noon + later);
  }
  std::size_t both = 0;
  for (const auto& each : kept.changes()) both += each.engine.process > 1000 ? 1U : 0U;
  EXPECT_EQ(both, most_kept);
}

TEST(LongHistory, ListsThoseThatAreGone) {
  long_history kept = fed(noon - 30min, noon - 10min, {{noon - 20min, noon - 19min}});
  kept.take({engine_at(noon, false, 2)}, noon);
  const std::vector<past_engine> gone = kept.past(noon);
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].id, "1.0");
  EXPECT_EQ(gone[0].name, "orders");
  EXPECT_EQ(gone[0].last, noon - 10min);
  EXPECT_EQ(gone[0].worst, severity::bad);
  kept.take({}, noon + 51min);
  EXPECT_TRUE(kept.past(noon + 51min).size() == 1 && kept.past(noon + 51min)[0].id == "2.0");
}

TEST(LongHistory, KeepsNothingOfTheFutureAfterTheClockWasSetBack) {
  long_history kept = fed(noon - 10min, noon, {});
  kept.take({engine_at(noon - 5min)}, noon - 5min);
  for (const console_sample& each : kept.samples("1.0", noon)) EXPECT_LE(each.at, noon - 5min);
  kept.take({engine_at(noon - 5min + 10s)}, noon - 5min + 10s);
  EXPECT_EQ(kept.samples("1.0", noon).back().at, noon - 5min + 10s);
}

}  // namespace
}  // namespace detent::tool
