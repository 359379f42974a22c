// SPDX-License-Identifier: MIT
#include "top/top_model.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "made_up_engines.hpp"

namespace detent::tool {
namespace {

using test::busy_reading;
using test::histogram_of;
using test::reading_of;
using test::second;

host_reading look(std::vector<engine_reading> engines, std::vector<std::string> troubles = {}) {
  return {std::move(engines), std::move(troubles)};
}

std::vector<std::string> names_in(const top_model& model) {
  std::vector<std::string> names;
  for (const top_row& row : model.rows()) names.push_back(row.identity.name);
  return names;
}

TEST(TopModel, ShowsRatesOfTheRecentIntervalOrOfTheWholeLife) {
  top_model model;
  engine_reading first = reading_of("a", 7, 10), then = reading_of("a", 7, 12);
  first.snapshot.totals[counter::scheduled] = 1'000;
  then.snapshot.totals[counter::scheduled] = 1'500;
  first.snapshot.totals[counter::cancelled_running] = 6;
  then.snapshot.totals[counter::cancelled_running] = 10;
  then.snapshot.totals[counter::cancelled] = 2;
  model.take(look({first}));
  // Nothing to compare with, so it covers the whole life.
  EXPECT_DOUBLE_EQ(model.rows().at(0).rates[counter::scheduled], 100);
  model.take(look({then}));
  EXPECT_DOUBLE_EQ(model.rows().at(0).rates[counter::scheduled], 250);
  EXPECT_DOUBLE_EQ(model.rows().at(0).rates[counter::cancelled], 3);
  EXPECT_EQ(model.rows().at(0).pending, 1'498U);
  model.set_span(top_span::whole_life);
  EXPECT_DOUBLE_EQ(model.rows().at(0).rates[counter::scheduled], 125);
}

TEST(TopModel, ShowsPercentilesOfTheRecentIntervalAlone) {
  top_model model;
  engine_reading first = reading_of("a", 7, 1), then = reading_of("a", 7, 2);
  first.snapshot.histograms[cause::lateness] = histogram_of({{1'000'000, 1'000}});
  then.snapshot.histograms[cause::lateness] = histogram_of({{1'000'000, 1'000}, {100, 50}});
  model.take(look({first}));
  model.take(look({then}));
  const time_figures& recent = model.rows().at(0).times[cause::lateness];
  EXPECT_EQ(recent.count, 50U);
  EXPECT_NEAR(recent.p99, 100, 1);
  EXPECT_NEAR(recent.most, 100, 2);
  ASSERT_EQ(model.rows().at(0).p99s.size(), 1U);
  EXPECT_NEAR(model.rows().at(0).p99s[0].value_or(0), 100, 1);
  model.set_span(top_span::whole_life);
  EXPECT_NEAR(model.rows().at(0).times[cause::lateness].p99, 1e6, 1e4);
}

TEST(TopModel, LeavesAGapWhereNothingFired) {
  top_model model;
  for (const std::int64_t seconds : {1, 2}) model.take(look({reading_of("a", 7, seconds)}));
  ASSERT_EQ(model.rows().at(0).p99s.size(), 1U);
  EXPECT_FALSE(model.rows()[0].p99s[0].has_value());
}

TEST(TopModel, SortsByAnyColumnAndBackwards) {
  top_model model;
  model.take(look(
      {busy_reading("slow", 7, 1, 100, 40'000), busy_reading("fast", 8, 1, 900, 1'000), reading_of("idle", 9, 1)}));
  EXPECT_EQ(names_in(model), (std::vector<std::string>{"slow", "fast", "idle"}));  // p99
  model.sort_by(top_column::fired);
  EXPECT_EQ(names_in(model), (std::vector<std::string>{"fast", "slow", "idle"}));
  model.sort_by(top_column::engine);
  EXPECT_EQ(names_in(model), (std::vector<std::string>{"fast", "idle", "slow"}));
  model.sort_by(top_column::process);
  EXPECT_EQ(names_in(model), (std::vector<std::string>{"slow", "fast", "idle"}));
  model.reverse();
  EXPECT_EQ(names_in(model), (std::vector<std::string>{"idle", "fast", "slow"}));
}

TEST(TopModel, KeepsTheSelectionOnItsEngine) {
  top_model model;
  model.take(look({busy_reading("slow", 7, 1, 100, 40'000), busy_reading("fast", 8, 1, 900, 1'000)}));
  model.move_selection(1);
  EXPECT_EQ(model.selected_row()->identity.name, "fast");
  model.sort_by(top_column::fired);
  EXPECT_EQ(model.selected(), 0U);
  EXPECT_EQ(model.selected_row()->identity.name, "fast");
  model.take(look({busy_reading("slow", 7, 2, 5'000, 40'000), busy_reading("fast", 8, 2, 900, 1'000)}));
  EXPECT_EQ(model.selected_row()->identity.name, "fast");
  model.move_selection(-100);
  EXPECT_EQ(model.selected(), 0U);
  model.move_selection(100);
  EXPECT_EQ(model.selected(), 1U);
}

TEST(TopModel, SaysWhichEngineHasEnded) {
  top_model model;
  model.take(look({reading_of("a", 7, 1), reading_of("b", 8, 1)}));
  model.take(look({reading_of("b", 8, 2)}));
  EXPECT_EQ(model.message(), "a of process 7 has ended");
  EXPECT_EQ(names_in(model), std::vector<std::string>{"b"});
  EXPECT_EQ(model.selected_row()->identity.name, "b");
  model.take(look({}));
  EXPECT_EQ(model.message(), "b of process 8 has ended");
  EXPECT_EQ(model.selected_row(), nullptr);
  model.take(look({}));
  EXPECT_EQ(model.message(), "");
}

TEST(TopModel, SaysWhyAFileIsNoEngineAnyMoreOnce) {
  top_model model;
  model.take(look({reading_of("a", 7, 1)}));
  const std::string trouble = "/dev/shm/detent.7.0: stale: process 7 is gone";
  model.take(look({}, {trouble}));
  EXPECT_EQ(model.message(), trouble);
  model.take(look({}, {trouble}));
  EXPECT_EQ(model.message(), "");
  model.take(look({}, {trouble, "x: no", "y: no"}));
  EXPECT_EQ(model.message(), "x: no (and 1 more)");
}

TEST(TopModel, TakesAnotherEngineInTheSameFileForAnother) {
  top_model model;
  model.take(look({busy_reading("a", 7, 10, 1'000, 5'000)}));
  engine_reading other = busy_reading("a", 7, 11, 1, 5'000);
  other.snapshot.identity.made_at = 10 * second;
  model.take(look({other}));
  EXPECT_TRUE(model.rows().at(0).p99s.empty());
  EXPECT_DOUBLE_EQ(model.rows().at(0).rates[counter::fired], 11);
  EXPECT_EQ(model.message(), "a of process 7 has ended");
}

TEST(TopModel, SurvivesClocksThatStandStillOrGoBack) {
  top_model model;
  for (const std::int64_t seconds : {5, 5, 3}) model.take(look({busy_reading("a", 7, seconds, 100, 5'000)}));
  EXPECT_GE(model.rows().at(0).rates[counter::fired], 0);
}

}  // namespace
}  // namespace detent::tool
