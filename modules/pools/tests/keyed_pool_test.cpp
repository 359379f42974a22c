// SPDX-License-Identifier: MIT
// The promises of a keyed pool to callbacks of one key, and to other keys.
#include <detent/keyed_pool.hpp>

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_stuck.hpp"
#include "support/drive_virtual.hpp"
#include "support/meeting.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using drive::ids;
using drive::problem_of;
using drive::stuck_callback;

std::shared_ptr<keyed_pool> pool_of(keyed_pool_options options) {
  return std::make_shared<keyed_pool>(std::move(options));
}

TEST(KeyedPool, RunsCallbacksOfDifferentKeysAtOnce) {
  drive::virtual_engine rig({.executor = pool_of({.threads = 3})});
  test::meeting all(3);
  std::atomic<int> met{0};
  for (std::uint64_t key = 0; key < 3; ++key) {
    rig.engine.schedule_after(0ns,
                              [&] {
                                all.arrive_and_wait();
                                ++met;
                              },
                              {.tag = key});
  }
  rig.engine.poll();
  EXPECT_TRUE(eventually([&] { return met == 3; }));
}

// While one thread of four is held up, so that the others would overtake.
TEST(KeyedPool, KeepsTheOrderOfDeadlinesWithinAKey) {
  constexpr int keys = 5, each = 200;
  drive::virtual_engine rig({.executor = pool_of({.threads = 4})});
  std::vector<ids> ran(keys);
  std::atomic<int> count{0};
  for (int id = each; id-- != 0;) {
    for (int key = 0; key < keys; ++key) {
      rig.engine.schedule_at(at(id),
                             [&, key, id] {
                               if (id % 16 == 0) std::this_thread::yield();
                               ran[static_cast<std::size_t>(key)].push_back(id);
                               ++count;
                             },
                             {.tag = static_cast<std::uint64_t>(key)});
    }
  }
  rig.poll_all_at(at(each));
  ASSERT_TRUE(eventually([&] { return count == keys * each; }));
  for (const ids& one : ran) {
    EXPECT_EQ(one.size(), std::size_t{each});
    EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
  }
}

TEST(KeyedPool, LetsAStuckCallbackHoldUpItsOwnKeyAlone) {
  drive::virtual_engine rig({.executor = pool_of({.threads = 2})});
  std::atomic<int> others{0}, own{0};
  {
    stuck_callback first(rig.engine, 0);
    rig.engine.poll();
    ASSERT_TRUE(first.wait_until_it_runs());
    for (std::uint64_t key = 0; key < 300; ++key)
      rig.engine.schedule_after(0ns, [&, key] { ++(key == 0 ? own : others); }, {.tag = key});
    rig.engine.poll();
    EXPECT_TRUE(eventually([&] { return others == 299; }));
    EXPECT_EQ(own.load(), 0);
  }
  EXPECT_TRUE(eventually([&] { return own == 1; }));
}

// Each thread that is asleep must be woken although others run, round after round.
TEST(KeyedPool, WakesAThreadForWorkThatThoseWhoRunCannotTake) {
  engine e({.executor = pool_of({.threads = 3})});
  for (std::uint64_t round = 0; round < 50; ++round) {
    test::meeting all(3);
    std::atomic<int> ended{0};
    for (std::uint64_t key = 0; key < 3; ++key) {
      e.schedule_after(std::chrono::microseconds(key * round),
                       [&] {
                         all.arrive_and_wait();
                         ++ended;
                       },
                       {.tag = key});
    }
    ASSERT_TRUE(eventually([&] { return ended == 3; })) << "round " << round;
  }
}

TEST(KeyedPool, TakesTheKeyFromAFunctionWhereAsked) {
  drive::virtual_engine rig({.executor = pool_of({.threads = 2, .key_of = [](const fired_timer& f) {
                                                    return f.deadline().time_since_epoch().count() % 2;
                                                  }})});
  test::meeting both(2);
  std::atomic<int> met{0};
  for (const int ns : {1, 2}) {
    rig.engine.schedule_at(at(ns), [&] {
      both.arrive_and_wait();
      ++met;
    });
  }
  rig.poll_at(at(2));
  EXPECT_TRUE(eventually([&] { return met == 2; }));
}

// A thread runs a part of what it has taken at one time, while more comes.
TEST(KeyedPool, HasOneOrderForAllTimersWithoutATag) {
  constexpr int each = 100;
  drive::virtual_engine rig({.executor = pool_of({.threads = 3})});
  std::atomic<bool> taken{false}, open{false};
  const auto schedule = [&](int from) {
    for (int id = from; id < from + each; ++id) rig.engine.schedule_at(at(id), rig.note(id));
  };
  {
    stuck_callback first(rig.engine, 0);
    rig.engine.poll();
    ASSERT_TRUE(first.wait_until_it_runs());
    rig.engine.schedule_at(at(0), [&] {
      taken = true;
      while (!open) std::this_thread::yield();
    });
    schedule(0);
    rig.poll_all_at(at(each));
  }
  ASSERT_TRUE(eventually([&] { return taken.load(); }));
  schedule(each);
  rig.poll_all_at(at(2 * each));
  open = true;
  ASSERT_TRUE(eventually([&] { return rig.engine.pending() == 0 && rig.engine.metrics().queued == 0; }));
  rig.engine.stop();
  EXPECT_EQ(rig.fired.size(), std::size_t{2 * each});
  EXPECT_TRUE(std::is_sorted(rig.fired.begin(), rig.fired.end()));
}

// By default an engine runs inline what is refused: beside the callback that runs, or before those that wait.
TEST(KeyedPool, IsOfferedAgainInOrderWhatItRefuses) {
  engine e({.executor = pool_of({.threads = 2, .queue_capacity = 2})});
  ASSERT_EQ(engine_options{}.on_refusal, refusal_policy::run_inline);
  ids ran;
  std::atomic<int> count{0};
  {
    stuck_callback first(e, 7);
    ASSERT_TRUE(first.wait_until_it_runs());
    const time_point due = clock::now();
    for (int id = 0; id < 50; ++id) {
      e.schedule_at(due,
                    [&, id] {
                      ran.push_back(id);
                      ++count;
                    },
                    {.tag = 7});
    }
    EXPECT_TRUE(eventually([&] { return e.metrics().refused > 3; }));
    EXPECT_EQ(count.load(), 0);
  }
  ASSERT_TRUE(eventually([&] { return count == 50; }));
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
  EXPECT_EQ(e.metrics().dropped, 0u);
}

TEST(KeyedPool, HoldsAsMuchAsItMay) {
  auto pool = pool_of({.threads = 2, .queue_capacity = 3});
  drive::virtual_engine rig({.executor = pool, .on_refusal = refusal_policy::drop});
  stuck_callback first(rig.engine, 0);
  rig.engine.poll();
  ASSERT_TRUE(first.wait_until_it_runs());
  EXPECT_TRUE(eventually([&] { return pool->queued() == 0; }));
  for (int i = 0; i < 5; ++i) rig.engine.schedule_after(0ns, [] {});
  rig.engine.poll();
  EXPECT_EQ(pool->queued(), 3u);
  EXPECT_EQ(rig.engine.metrics().queued, 3u);
  EXPECT_EQ(rig.engine.metrics().refused, 2u);
  EXPECT_EQ(rig.engine.metrics().dropped, 2u);
  EXPECT_EQ(rig.engine.pending(), 3u);
}

// A callback that a thread took together with the one that it runs counts as waiting until its turn.
TEST(KeyedPool, CountsWhatWaitsForTheCallbackBeforeIt) {
  auto pool = pool_of({.queue_capacity = 3});
  drive::virtual_engine rig({.executor = pool, .on_refusal = refusal_policy::drop});
  std::atomic<bool> second_runs{false}, open{false};
  std::atomic<int> ended{0};
  {
    stuck_callback first(rig.engine, 0);
    rig.engine.poll();
    ASSERT_TRUE(first.wait_until_it_runs());
    rig.engine.schedule_after(0ns, [&] {
      second_runs = true;
      while (!open) std::this_thread::yield();
    });
    for (int i = 0; i < 2; ++i) rig.engine.schedule_after(0ns, [&] { ++ended; });
    rig.engine.poll();
  }
  ASSERT_TRUE(eventually([&] { return second_runs.load(); }));
  EXPECT_EQ(pool->queued(), 2u);
  for (int i = 0; i < 2; ++i) rig.engine.schedule_after(0ns, [&] { ++ended; });
  rig.engine.poll();
  EXPECT_EQ(pool->queued(), 3u);
  EXPECT_EQ(rig.engine.metrics().dropped, 1u);
  open = true;
  EXPECT_TRUE(eventually([&] { return ended == 3; }));
  EXPECT_TRUE(eventually([&] { return pool->queued() == 0; }));
}

// While a thread takes all that a key has, more is offered than there is room for.
TEST(KeyedPool, NeverHoldsMoreThanItMay) {
  constexpr std::size_t capacity = 64;
  std::atomic<int> opened{0};  // rounds
  auto pool = pool_of({.threads = 3, .queue_capacity = capacity});
  drive::virtual_engine rig({.executor = pool, .on_refusal = refusal_policy::drop});
  for (int round = 0; round < 100; ++round) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      rig.engine.schedule_after(0ns,
                                [&opened, round] {
                                  while (opened <= round) std::this_thread::yield();
                                },
                                {.tag = i % 4});
    }
    rig.engine.poll();
    const std::size_t held = pool->queued();
    ++opened;
    ASSERT_TRUE(eventually([&] { return rig.engine.pending() == 0 && pool->queued() == 0; }));
    ASSERT_LE(held, capacity) << "round " << round;
  }
}

TEST(KeyedPool, LetsCancelAndRestartWinWhileATimerWaits) {
  drive::virtual_engine rig({.executor = pool_of({})});
  std::atomic<int> runs{0};
  {
    stuck_callback first(rig.engine, 0);
    timer cancelled = rig.engine.schedule_after(0ns, [] { FAIL() << "it was cancelled"; });
    timer restarted = rig.engine.schedule_after(0ns, [&] { ++runs; });
    rig.engine.poll();
    ASSERT_TRUE(first.wait_until_it_runs());
    EXPECT_EQ(cancelled.cancel(), cancel_result::cancelled);
    EXPECT_TRUE(restarted.restart_at(at(100)));
  }
  EXPECT_TRUE(eventually([&] { return rig.engine.pending() == 1; }));
  EXPECT_EQ(runs.load(), 0);
  rig.poll_at(at(100));
  EXPECT_TRUE(eventually([&] { return runs == 1; }));
}

TEST(KeyedPool, NamesAnImpossibleOption) {
  auto refused = [](keyed_pool_options options) { return problem_of([&] { keyed_pool pool(std::move(options)); }); };
  EXPECT_TRUE(refused({.threads = 0}).names("keyed_pool: threads = 0"));
  EXPECT_TRUE(refused({.threads = 1'000'000'000}).names("keyed_pool: threads = 1000000000: must be 1 to 65536"));
  EXPECT_TRUE(refused({.threads = SIZE_MAX}).names("keyed_pool: threads = 18446744073709551615: must be 1 to 65536"));
  EXPECT_TRUE(refused({.queue_capacity = 0}).names("keyed_pool: queue_capacity = 0"));
  EXPECT_TRUE(refused({.cpus = {-1}}).names("keyed_pool: cpus[0] = -1: no such CPU"));
  EXPECT_TRUE(refused({.strands = 0}).names("keyed_pool: strands = 0"));
  EXPECT_EQ(refused({.strands = 65537}).code, errc::invalid_option);
}

}  // namespace
}  // namespace detent
