// SPDX-License-Identifier: MIT
// A set of engines: which shard, and what they do together.
#include <detent/sharded_engine.hpp>

#include <gtest/gtest.h>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/engine_eventually.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;
using testing::eventually;

constexpr std::size_t keys = 100'000;

// Returns how many keys the fullest shard has, divided by the mean.
template <class Key>
double fullest(std::size_t shards, Key key) {
  std::vector<std::size_t> counts(shards);
  for (std::size_t i = 0; i < keys; ++i) ++counts[shard_of_key(key(i), shards)];
  return static_cast<double>(*std::max_element(counts.begin(), counts.end()) * shards) / static_cast<double>(keys);
}

TEST(ShardedKeys, ThatCountUpSpreadEvenly) {
  for (std::size_t shards = 2; shards <= 64; ++shards) {
    for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{10}, std::uint64_t{4096},
                                     std::uint64_t{1'000'000}, std::uint64_t{1} << 32})
      EXPECT_LE(fullest(shards, [&](std::size_t i) { return 1'000'000 + i * step; }), 1.05) << shards << " by " << step;
  }
}

// Chance allows six standard deviations of a shard's share, which is more than 1.05 if there are many shards.
TEST(ShardedKeys, OfAnyKindSpreadAsChanceWouldHaveThem) {
  std::mt19937_64 random(test::new_seed());
  std::vector<std::uint64_t> numbers(keys);
  for (std::uint64_t& each : numbers) each = random();
  for (std::size_t shards = 2; shards <= 64; ++shards) {
    const double most = 1 + 6 * std::sqrt(static_cast<double>(shards) / static_cast<double>(keys));
    EXPECT_LE(fullest(shards, [&](std::size_t i) { return numbers[i]; }), most) << shards;
    EXPECT_LE(fullest(shards, [&](std::size_t i) { return "session-" + std::to_string(i); }), most) << shards;
    EXPECT_LE(fullest(shards, [&](std::size_t i) { return static_cast<double>(i) * 0.37; }), most) << shards;
  }
}

TEST(ShardedKeys, HaveOneShardWhateverTheirTypeAndThreadBeforeAndAfterStop) {
  sharded_engine set({.shards = 7, .each = {.drive = drive_kind::caller, .reserve = 0}});
  std::vector<const engine*> before;
  const auto look = [&set] {
    std::vector<const engine*> found;
    for (int key = -50; key < 50; ++key) {
      const std::string name = "user " + std::to_string(key);
      const engine* const by_number = &set.of(key);
      const engine* const by_name = &set.of(name);
      EXPECT_EQ(by_number, &set.of(std::int64_t{key}));
      EXPECT_EQ(by_number, &set[set.index_of(key)]);
      EXPECT_EQ(by_name, &set.of(std::string_view(name)));
      EXPECT_EQ(by_name, &set.of(name.c_str()));
      found.push_back(by_number);
      found.push_back(by_name);
    }
    return found;
  };
  before = look();
  std::vector<const engine*> elsewhere;
  std::thread([&] { elsewhere = look(); }).join();
  EXPECT_EQ(elsewhere, before);
  EXPECT_TRUE(set.stop().empty());
  EXPECT_EQ(look(), before);
}

TEST(ShardedEngine, ShardsHaveTheNameOfTheSetAndTheirNumber) {
  sharded_engine set({.name = "gateway-of-orders", .shards = 3, .each = {.reserve = 64}});
  EXPECT_EQ(set.name(), "gateway-of-orders");
  for (std::size_t i = 0; i < set.size(); ++i) {
    char name[16] = {};
    ASSERT_EQ(pthread_getname_np(set[i].native_handle(), name, sizeof name), 0);
    EXPECT_EQ(std::string(name), "gateway-of-or/" + std::to_string(i));
    EXPECT_TRUE(problem_of([&] { set[i].poll(); }).names("engine \"gateway-of-orders/" + std::to_string(i) + "\""));
  }
  EXPECT_EQ(set.end() - set.begin(), 3);
}

TEST(ShardedEngine, BoundThreadsAreLocalToTheirShard) {
  sharded_engine set({.shards = 3, .each = {.drive = drive_kind::caller, .reserve = 0}});
  sharded_engine other({.shards = 3, .each = {.drive = drive_kind::caller, .reserve = 0}});
  sharded_group group(set);
  for (std::size_t i = 0; i < set.size(); ++i) {
    std::thread([&] {
      set.bind_this_thread(0);
      other.bind_this_thread(2 - i);
      set.bind_this_thread(i);
      EXPECT_EQ(&set.local(), &set[i]);
      EXPECT_EQ(other.local_index(), 2 - i);
      EXPECT_EQ(&group.local(), &group[i]);
    }).join();
  }
  const drive::problem refused = problem_of([&] { set.bind_this_thread(3); });
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("bind_this_thread(3): must be less than the number of shards, 3")) << refused.what;
}

// With more shards than CPUs, those of a CPU are dealt out to the threads that run there.
TEST(ShardedEngine, ThreadsThatAreNotBoundUseAllShards) {
  sharded_engine set({.shards = 8, .each = {.drive = drive_kind::caller, .reserve = 0}});
  std::set<std::size_t> seen;
  for (int i = 0; i < 20'000 && seen.size() < set.size(); ++i)
    std::thread([&] { seen.insert(set.local_index()); }).join();
  EXPECT_EQ(seen.size(), set.size());
}

TEST(ShardedEngine, MetricsAreThoseOfAllShards) {
  manual_clock clk;
  sharded_engine set({.shards = 4, .each = {.manual = &clk}});
  for (int key = 0; key < 1'000; ++key) set.of(key).schedule_after(1ms, [] {});
  for (int key = 0; key < 100; ++key) set.of(key).schedule_after(1h, [] {});
  EXPECT_EQ(set.pending(), 1'100u);
  EXPECT_EQ(set.list_pending().size(), 1'100u);
  for (engine& each : set) {
    clk.advance(1ms);
    each.poll();
  }
  const engine_metrics all = set.metrics();
  histogram lateness;
  for (engine& each : set) {
    EXPECT_GT(each.metrics().fired, 0u);
    lateness += each.metrics().lateness;
  }
  EXPECT_EQ(all.scheduled, 1'100u);
  EXPECT_EQ(all.fired, 1'000u);
  EXPECT_EQ(all.pending, 100u);
  EXPECT_EQ(all.lateness.count(), 1'000u);
  EXPECT_EQ(all.lateness.max(), 3ms);
  EXPECT_TRUE(all.lateness == lateness);
  EXPECT_EQ(std::string_view(all.clock.name), "manual");
}

TEST(ShardedEngine, ACancelReachesAnyShardFromAnyOther) {
  sharded_engine set({.shards = 4, .each = {.reserve = 1024}});
  std::vector<timer> far;
  for (int key = 0; key < 100; ++key) far.push_back(set.of(key).schedule_after(1h, [] {}));
  std::atomic<int> cancelled{0};
  std::atomic<bool> done{false};
  set[0].schedule_after(0ms, [&] {
    for (timer each : far) cancelled += each.cancel() == cancel_result::cancelled;
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(cancelled, 100);
  EXPECT_EQ(set.pending(), 0u);
}

TEST(ShardedGroup, IsCancelledPausedAndResumedOnAllShards) {
  manual_clock clk;
  sharded_engine set({.shards = 4, .each = {.manual = &clk}});
  sharded_group group(set);
  int fired = 0;
  const auto schedule = [&] {
    for (int key = 0; key < 64; ++key) group.of(key).schedule_after(1ms, [&] { ++fired; });
  };
  const auto pass = [&] {
    clk.advance(1ms);
    for (engine& each : set) each.poll();
  };
  schedule();
  EXPECT_EQ(group.pending(), 64u);
  for (std::size_t i = 0; i < group.size(); ++i) EXPECT_GT(group[i].pending(), 0u);
  group.pause();
  pass();
  EXPECT_EQ(fired, 0);
  group.resume();
  pass();
  EXPECT_EQ(fired, 64);
  schedule();
  group.cancel_all();
  pass();
  EXPECT_EQ(fired, 64);
  schedule();
  group.cancel_all_and_wait();
  pass();
  EXPECT_EQ(fired, 64);
  EXPECT_EQ(set.pending(), 0u);
}

// It waits on the first shard for a callback, and has cancelled on the second.
TEST(ShardedGroup, LeavesWhatIsScheduledWhileACancelWaits) {
  manual_clock clk;
  sharded_engine set({.shards = 2, .each = {.manual = &clk}});
  sharded_group group(set);
  std::atomic<bool> runs{false}, open{false};
  group[0].schedule_after(0ns, [&] {
    runs = true;
    while (!open) std::this_thread::yield();
  });
  const timer cancelled = group[1].schedule_after(1h, [] {});
  std::thread driver([&] { set[0].poll(); });
  EXPECT_TRUE(eventually([&] { return runs.load(); }));
  std::thread canceller([&] { group.cancel_all_and_wait(); });
  EXPECT_TRUE(eventually([&] { return !cancelled.pending(); }));
  const timer later = group[1].schedule_after(1h, [] {});
  open = true;
  canceller.join();
  driver.join();
  EXPECT_TRUE(later.pending());
}

TEST(ShardedEngine, IdleShardsWakeUpForNothing) {
  sharded_engine set({.shards = 4, .each = {.reserve = 64}});
  for (engine& each : set) each.schedule_after(1h, [] {});
  // A worker may take its time to fall asleep, and then sleeps on.
  EXPECT_TRUE(eventually([&] {
    const std::uint64_t before = set.metrics().wakeups;
    std::this_thread::sleep_for(100ms);
    return set.metrics().drained == 4 && set.metrics().wakeups == before;
  }));
}

// Each loop drives its own shard, and schedules on the others'.
TEST(ShardedEngine, LoopsDriveAShardEach) {
  constexpr std::size_t loops = 4;
  sharded_engine set({.shards = loops, .each = {.drive = drive_kind::caller, .reserve = 1024}});
  std::atomic<int> wrong{0}, hops{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < loops; ++i) {
    threads.emplace_back([&, i] {
      set.bind_this_thread(i);
      const std::thread::id me = std::this_thread::get_id();
      set.local().schedule_after(0ms, [&, me] {
        wrong += std::this_thread::get_id() != me;
        for (std::size_t other = 0; other < loops; ++other) {
          set[other].schedule_after(1ms, [&, other] {
            wrong += set.local_index() != other;
            ++hops;
          });
        }
      });
      while (hops < static_cast<int>(loops * loops)) set[i].poll();
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(set.metrics().fired, loops + loops * loops);
}

}  // namespace
}  // namespace detent
