// SPDX-License-Identifier: MIT
// A set of engines in `detent top`: one row, its shards at a key, and what to do when a worker is the limit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "made_up_engines.hpp"
#include "top/top_key.hpp"
#include "top/top_session.hpp"

namespace detent::tool {
namespace {

using test::reading_of;
using test::shard_of;

host_reading look(std::int64_t seconds) {
  return {.engines = {shard_of("orders", 0, seconds, 300, 1'000), shard_of("orders", 1, seconds, 100, 50'000),
                      reading_of("alone", 8, seconds)},
          .troubles = {}};
}

std::vector<std::string> names_in(top_session& session) {
  std::vector<std::string> names;
  for (const top_row& row : session.model().rows()) names.push_back(row.identity.name);
  return names;
}

class TopSet : public ::testing::Test {
 protected:
  TopSet() {
    session_.model().set_span(top_span::whole_life);
    session_.take(look(1), "12:00:00");
    session_.model().select_first();
  }
  void press(char32_t key) { session_.press(key, 160, 30); }

  top_session session_{1, "on this host"};
};

TEST_F(TopSet, IsOneRowWithItsSkewAndItsWorstShard) {
  ASSERT_EQ(names_in(session_), (std::vector<std::string>{"orders x2", "alone"}));
  const top_row& row = session_.model().rows()[0];
  ASSERT_TRUE(row.set.has_value());
  EXPECT_DOUBLE_EQ(row.set->skew, 1.5);
  EXPECT_EQ(row.set->busiest, 0U);
  EXPECT_EQ(row.set->worst, 1U);
  EXPECT_NEAR(row.set->worst_p99, 50'000, 500);
  EXPECT_DOUBLE_EQ(row.rates[counter::fired], 400);
  EXPECT_EQ(text_of(top_column::skew, row), "1.50");
  EXPECT_EQ(text_of(top_column::skew, session_.model().rows()[1]), "-");
  const std::string screen = session_.screen(160, 30, false).text();
  EXPECT_NE(screen.find("2 shards; skew 1.50 (most runs: shard 0); worst p99"), std::string::npos) << screen;
}

TEST_F(TopSet, UnfoldsAndFoldsAtAKeyAndElsewhereTheKeysSort) {
  press(U'>');
  EXPECT_EQ(names_in(session_), (std::vector<std::string>{"orders/1", "orders/0", "alone"}));
  EXPECT_EQ(session_.model().sorted_by(), top_column::p99);
  session_.take(look(2), "12:00:01");
  EXPECT_EQ(names_in(session_).size(), 3U);
  press(U'>');
  EXPECT_EQ(session_.model().sorted_by(), top_column::most);
  press(U'<');
  EXPECT_EQ(names_in(session_), (std::vector<std::string>{"orders x2", "alone"}));
  EXPECT_EQ(session_.model().sorted_by(), top_column::most);
  press(U'<');
  EXPECT_EQ(session_.model().sorted_by(), top_column::p99);
}

TEST(TopSetRow, HasTheRatesOfItsShardsThoughOneWasFirstSeenLater) {
  const auto with_label = [](std::uint32_t shard, std::int64_t seconds) {
    engine_reading made = shard_of("orders", shard, seconds, 100, 1'000);
    made.snapshot.gauges[gauge::wakeups] = 10 * seconds;
    label_snapshot label;
    label.name = "retry";
    label.counts[label_counter::fired] = 7 * static_cast<std::uint64_t>(seconds);
    made.snapshot.labels = {label};
    return made;
  };
  const engine_reading first = with_label(0, 1), other = with_label(1, 91);
  const engine_reading first_now = with_label(0, 101), other_now = with_label(1, 101);
  const top_row row = row_of_set({&first_now, &other_now}, {&first, &other});
  EXPECT_NEAR(row.rates[counter::fired], 200, 0.1);
  EXPECT_NEAR(row.wakeups, 20, 0.1);
  ASSERT_EQ(row.labels.size(), 1U);
  EXPECT_NEAR(row.labels[0].fired, 14, 0.1);
}

TEST(TopAdvice, IsGivenWhereTheWorkerIsTheLimit) {
  engine_reading made = reading_of("a", 7, 1);
  made.snapshot.identity.worker_thread = 9;
  EXPECT_EQ(advice_of(row_of(made, nullptr)), "");
  made.worker_cpu = 800'000'000;
  EXPECT_EQ(advice_of(row_of(made, nullptr)),
            "the worker is the limit: it uses 80 % of a CPU; an executor or more shards (docs/sharding.md)");
  made.snapshot.identity.wait = "busy";
  EXPECT_EQ(advice_of(row_of(made, nullptr)), "");
}

TEST(TopAdvice, TakesSpinningBeforeDeadlinesForNoWork) {
  const auto uses_most_of_a_cpu = [](std::uint64_t late) {
    engine_reading made = test::busy_reading("a", 7, 1, 10'000, late);
    made.worker_cpu = 800'000'000;
    return row_of(made, nullptr);
  };
  EXPECT_EQ(advice_of(uses_most_of_a_cpu(500)), "");
  EXPECT_NE(advice_of(uses_most_of_a_cpu(5'000'000)), "") << "a worker that comes late does not spin";
}

}  // namespace
}  // namespace detent::tool
