// SPDX-License-Identifier: MIT
// Calls for many timers of a set, its labels, and the end that waits for what is pending.
#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;
using testing::eventually;

class ShardedBulk : public ::testing::Test {
 protected:
  static sharded_options options(engine_options each = {}) {
    each.reserve = 256;
    each.memory.huge_pages = preference::off;
    return {.shards = 4, .each = each};
  }
  void poll_all() {
    for (engine& each : set_) each.poll();
  }
  manual_clock clock_;
  sharded_engine set_{options({.manual = &clock_})};
};

TEST_F(ShardedBulk, SchedulesEachTimerOnTheShardOfItsKey) {
  constexpr std::size_t count = 1000;
  std::vector<int> keys(count), runs(count);
  std::vector<time_point> deadlines(count);
  for (std::size_t i = 0; i != count; ++i) {
    keys[i] = static_cast<int>(i * 7);
    deadlines[i] = time_point(duration(i % 10));
  }
  std::vector<timer> made(count);
  const auto note = [&runs](std::size_t place) { ++runs[place]; };
  EXPECT_EQ(set_.schedule_at_bulk(keys, deadlines, note, made), count);
  EXPECT_EQ(set_.pending(), count);
  std::array<std::size_t, 4> pending{};
  for (std::size_t i = 0; i != count; ++i) {
    EXPECT_EQ(made[i].deadline(), deadlines[i]) << i;
    ++pending[set_.index_of(keys[i])];
  }
  for (std::size_t shard = 0; shard != 4; ++shard) EXPECT_EQ(set_[shard].pending(), pending[shard]);
  made[3].cancel();
  clock_.advance(1h);
  poll_all();
  for (std::size_t i = 0; i != count; ++i) EXPECT_EQ(runs[i], i == 3 ? 0 : 1) << i;
}

TEST_F(ShardedBulk, SharesACallableThatIsLarge) {
  const std::vector<std::string> keys{"a", "b", "c"};
  const std::vector<time_point> deadlines(3);
  std::vector<timer> made(2);  // has room for two
  std::string seen;
  const std::array<char, 64> names{'x', 'y', 'z'};
  EXPECT_EQ(set_.schedule_at_bulk(
                keys, deadlines, [&seen, names](firing&, std::size_t place) { seen += names[place]; }, made),
            2u);
  poll_all();
  EXPECT_TRUE(seen == "xy" || seen == "yx") << seen;
}

TEST_F(ShardedBulk, RefusesWhatItCannotScheduleAndSchedulesNothing) {
  const std::vector<int> keys{1, 2, 3};
  const std::vector<time_point> deadlines(4), three(3);
  std::vector<timer> made(4);
  const auto nothing = [](std::size_t) {};
  const auto uneven = problem_of([&] { set_.schedule_at_bulk(keys, deadlines, nothing, made); });
  EXPECT_EQ(uneven.code, errc::invalid_option);
  EXPECT_TRUE(uneven.names("keys.size() = 3: must be deadlines.size(), 4")) << uneven.what;
  const label of_one = set_.of(1).make_label("one");
  EXPECT_EQ(problem_of([&] { set_.schedule_at_bulk(keys, three, nothing, made, {.label = of_one}); }).code,
            errc::invalid_option);
  EXPECT_EQ(set_.pending(), 0u);
  set_.stop();
  EXPECT_EQ(problem_of([&] { set_.schedule_at_bulk(keys, three, nothing, made); }).code, errc::stopped);
}

TEST_F(ShardedBulk, NamesTheShardThatRefuses) {
  std::vector<int> key{0};
  while (set_.index_of(key.front()) != 2) ++key.front();
  const std::vector<time_point> deadline(1);
  std::vector<timer> made(1);
  const auto nothing = [](std::size_t) {};
  set_[2].close();
  const auto refused = problem_of([&] { set_.schedule_at_bulk(key, deadline, nothing, made); });
  EXPECT_EQ(refused.code, errc::stopped);
  EXPECT_TRUE(refused.names("engine \"detent/2\"")) << refused.what;
}

TEST_F(ShardedBulk, LeavesHandlesEmptyWhereAShardIsFull) {
  sharded_engine small(options({.manual = &clock_, .max_pending = 1}));
  const std::vector<int> keys{5, 5, 5};
  const std::vector<time_point> deadlines(3);
  std::vector<timer> made(3);
  EXPECT_EQ(small.schedule_at_bulk(
                keys, deadlines, [](std::size_t) {}, made),
            1u);
  EXPECT_TRUE(made[0].pending());
  EXPECT_FALSE(made[1] || made[2]);
  EXPECT_EQ(small.schedule_at_bulk(
                keys, deadlines, [](std::size_t) {}, made),
            0u);
}

TEST_F(ShardedBulk, CancelsTimersOfAllShards) {
  std::vector<timer> made;
  for (std::size_t i = 0; i != 2000; ++i) made.push_back(set_[i % 4].schedule_after(1h, [] {}));
  made[17].cancel();
  made.push_back({});
  EXPECT_EQ(set_.cancel_bulk(made), 1999u);
  EXPECT_EQ(set_.cancel_bulk(made), 0u);
  EXPECT_EQ(set_.pending(), 0u);
}

TEST_F(ShardedBulk, HasOneLabelForAllShards) {
  const label own = set_[1].make_label("own");
  const label orders = set_.make_label("orders"), again = set_.make_label("orders"), both = set_.make_label("own");
  EXPECT_EQ(orders, again);
  EXPECT_EQ(set_[2].make_label("orders"), orders);
  for (engine& each : set_) {
    each.schedule_after(0ms, [] {}, {.label = orders});
    each.schedule_after(0ms, [] {}, {.label = both});
  }
  set_[1].schedule_after(0ms, [] {}, {.label = own});
  for (const pending_timer& each : set_.list_pending())
    EXPECT_TRUE(each.label == orders || each.label.name() == "own") << each.label.name();
  poll_all();
  EXPECT_EQ(set_.metrics(orders).fired, 4u);
  EXPECT_EQ(set_[3].metrics(orders).fired, 1u);
  EXPECT_EQ(set_.metrics(both).fired, 5u);
  sharded_engine other(options({.manual = &clock_}));
  EXPECT_EQ(problem_of([&] { other[0].schedule_after(0ms, [] {}, {.label = orders}); }).code, errc::invalid_option);
  other.make_label("orders");
  EXPECT_EQ(problem_of([&] { other[0].schedule_after(0ms, [] {}, {.label = orders}); }).code, errc::invalid_option);
  EXPECT_EQ(other.metrics(orders).fired, 0u);
}

TEST_F(ShardedBulk, RefusesALabelByNameAndNumber) {
  EXPECT_TRUE(problem_of([&] { set_.make_label(""); }).names("make_label(\"\"): must be 1 to 63 bytes"));
  for (int i = 0; i < 255; ++i) set_.make_label(std::to_string(i));
  const auto full = problem_of([&] { set_.make_label("256th"); });
  EXPECT_EQ(full.code, errc::capacity_exceeded);
  EXPECT_TRUE(full.names("make_label(\"256th\")")) << full.what;
  EXPECT_EQ(set_.make_label("254").name(), "254");
}

TEST(ShardedStopFor, LetsAllShardsFireUntilOneTimeForAll) {
  sharded_engine set({.shards = 3, .each = {.reserve = 256, .memory = {.huge_pages = preference::off}}});
  std::atomic<int> runs{0};
  for (engine& each : set) each.schedule_after(5ms, [&] { ++runs; });
  EXPECT_TRUE(set.drain_for(10min).empty());
  EXPECT_EQ(runs, 3);
  EXPECT_TRUE(set.stopped());

  sharded_engine late({.shards = 3, .each = {.reserve = 256, .memory = {.huge_pages = preference::off}}});
  for (engine& each : late) each.schedule_after(10h, [&] { ++runs; });
  std::vector<unfired_timer> left = late.drain_for(20ms);
  EXPECT_EQ(left.size(), 3u);
  for (unfired_timer& each : left) each.run();
  EXPECT_EQ(runs, 6);
}

TEST(ShardedStopFor, RefusesWhatWouldWaitForEver) {
  sharded_engine driven({.shards = 2, .each = {.drive = drive_kind::caller, .reserve = 256}});
  const auto wrong = problem_of([&] { static_cast<void>(driven.drain_for(1ms)); });
  EXPECT_EQ(wrong.code, errc::wrong_drive);
  EXPECT_TRUE(wrong.names("drain_for(): callers drive the shards")) << wrong.what;
  sharded_engine set({.shards = 2, .each = {.reserve = 256, .memory = {.huge_pages = preference::off}}});
  std::atomic<bool> done{false};
  drive::problem inside;
  set[1].schedule_after(0ms, [&] {
    inside = problem_of([&] { static_cast<void>(set.drain_for(1h)); });
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(inside.code, errc::called_from_callback);
  EXPECT_FALSE(set.stopped());
}

}  // namespace
}  // namespace detent
