// SPDX-License-Identifier: MIT
// Recurring timers follow their rule and the clock, and lose no run.
#include "conformance.hpp"
#include "nodes.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace durable_test {
namespace {

using detent::schedule;

const schedule yearly = schedule::quartz("0 0 0 1 1 ?");
const schedule each_second = schedule::quartz("* * * * * ?");

// One release of a program after the other, on the same store.
class Rules : public testing::Test {
 protected:
  memory data{2};
  journal book;
  std::optional<a_node> node;

  a_node& release(const schedule& rule, on_conflict how = on_conflict::keep) {
    node.reset();
    node.emplace(data.connect(), book);
    node->on.declare("report", rule);
    node->on.start();
    node->on.schedule_on("report", "write", {}, {.key = "k", .conflict = how});
    EXPECT_TRUE(node->on.flush(20s));
    return *node;
  }
  detent::wall_time next() {
    const auto all = node->on.list({});
    return all.size() == 1 ? all[0].due : detent::wall_time::min();
  }
  // Leaves a timer as another release, another clock or another zone's data would.
  void left(stored_time due, bool by_rule) {
    const auto store = data.connect();
    record its{.key = stored_key("k"), .id = 1, .due = due, .handler = "write", .schedule = "report"};
    its.shard = shard_of("k", {}, store->shards());
    its.by_rule = by_rule;
    ASSERT_EQ(asker{*store}.put(its), change_status::stored);
  }
};

TEST_F(Rules, OfANewReleaseAreFollowedBySchedulesThatAreKept) {
  release(yearly);
  EXPECT_GT(next(), now() + 10s);
  release(each_second);
  EXPECT_TRUE(soon([&] { return book.size() >= 2; }));
}

TEST_F(Rules, AreFollowedWhereAWrongClockHasSetTheTime) {
  left(stored_time(std::chrono::sys_days(std::chrono::year(2199) / 1 / 1)), true);
  release(each_second);
  EXPECT_TRUE(soon([&] { return book.size() >= 2; }));
}

TEST_F(Rules, LeaveATimeThatACallOrARetryHasSet) {
  const stored_time due = std::chrono::floor<std::chrono::microseconds>(now()) + 24h;
  left(due, false);
  release(each_second);
  std::this_thread::sleep_for(300ms);  // some readings
  EXPECT_EQ(next(), due);
  node->on.restart_at("k", due + 1h);
  ASSERT_TRUE(node->on.flush(20s));
  node->on.declare("report", each_second);
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(next(), due + 1h);
  EXPECT_EQ(book.size(), 0u);
}

TEST_F(Rules, OfANewReleaseLoseNoRunThatWasMissedBefore) {
  for (const on_conflict how : {on_conflict::keep, on_conflict::replace}) {
    const std::size_t before = book.size();
    left(std::chrono::floor<std::chrono::microseconds>(now()) - 1h, true);
    release(yearly, how);
    ASSERT_TRUE(soon([&] { return book.size() == before + 1; })) << static_cast<int>(how);
    ASSERT_TRUE(soon([&] { return next() > now() + 1s; }));
    EXPECT_EQ(book.size(), before + 1);
    EXPECT_EQ(cancelled(node->on, "k"), detent::durable::cancel_result::cancelled);
    node.reset();
  }
}

TEST_F(Rules, MayBeDeclaredAndChangedAtAnyTime) {
  left(std::chrono::floor<std::chrono::microseconds>(now()), true);
  node.emplace(data.connect(), book);
  node->on.start();
  ASSERT_TRUE(soon([&] { return node->on.metrics().unhandled == 1; }));
  EXPECT_EQ(book.size(), 0u);
  node->on.declare("report", yearly);
  ASSERT_TRUE(soon([&] { return book.size() == 1; }));
  ASSERT_TRUE(soon([&] { return next() > now() + 1s; }));
  node->on.declare("report", each_second);
  EXPECT_TRUE(soon([&] { return book.size() >= 3; }));
}

}  // namespace
}  // namespace durable_test
