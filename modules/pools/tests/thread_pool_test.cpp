// SPDX-License-Identifier: MIT
#include <detent/thread_pool.hpp>

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/meeting.hpp"
#include "support/platform/asleep.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;
using drive::ids;
using drive::problem_of;

std::shared_ptr<thread_pool> pool_of(thread_pool_options options) {
  return std::make_shared<thread_pool>(std::move(options));
}

// Occupies one thread of the pool until it is let go.
class plug {
 public:
  explicit plug(engine& e) {
    e.schedule_after(0ns, [this] {
      started_ = true;
      while (!open_) std::this_thread::yield();
      ended_ = true;
    });
  }
  ~plug() { EXPECT_TRUE(release()); }
  bool wait_until_it_runs() {
    return eventually([&] { return started_.load(); });
  }
  bool release() {
    open_ = true;
    return eventually([&] { return ended_.load(); });
  }

 private:
  std::atomic<bool> started_{false}, open_{false}, ended_{false};
};

TEST(ThreadPool, RunsCallbacksOnItsOwnThreads) {
  drive::virtual_engine rig({.executor = pool_of({.name = "my-pool"})});
  std::atomic<bool> ran{false};
  std::string name;
  rig.engine.schedule_after(0ns, [&] {
    name = drive::read_text("/proc/thread-self/comm");
    ran = true;
  });
  rig.engine.poll();
  ASSERT_TRUE(eventually([&] { return ran.load(); }));
  EXPECT_EQ(name, "my-pool");
}

TEST(ThreadPool, RunsAsManyAtOnceAsItHasThreads) {
  drive::virtual_engine rig({.executor = pool_of({.threads = 3})});
  test::meeting all(3);
  std::atomic<int> met{0};
  for (int i = 0; i < 3; ++i) {
    rig.engine.schedule_after(0ns, [&] {
      all.arrive_and_wait();
      ++met;
    });
  }
  rig.engine.poll();
  EXPECT_TRUE(eventually([&] { return met == 3; }));
}

TEST(ThreadPool, OfOneThreadKeepsTheOrder) {
  drive::virtual_engine rig({.executor = pool_of({})});
  for (int id = 0; id < 1000; ++id) rig.engine.schedule_at(at(id % 10), rig.note(id));
  rig.poll_at(at(10));
  ASSERT_TRUE(eventually([&] { return rig.engine.metrics().expired == 1000; }));
  for (std::size_t i = 1; i < 1000; ++i) {
    const int a = rig.fired[i - 1], b = rig.fired[i];
    EXPECT_TRUE(a % 10 < b % 10 || (a % 10 == b % 10 && a < b)) << a << " before " << b;
  }
}

TEST(ThreadPool, LetsASlowCallbackDelayNobodyWhileAnotherThreadIsFree) {
  drive::virtual_engine rig({.executor = pool_of({.threads = 2})});
  plug slow(rig.engine);
  rig.engine.poll();
  ASSERT_TRUE(slow.wait_until_it_runs());
  std::atomic<int> fast{0};
  for (int i = 0; i < 10; ++i) rig.engine.schedule_after(0ns, [&] { ++fast; });
  rig.engine.poll();
  EXPECT_TRUE(eventually([&] { return fast == 10; }));
}

// Hands five timers over to a queue of two while all its threads are busy.
void expect_three_refused(std::shared_ptr<executor> to) {
  drive::virtual_engine rig({.executor = std::move(to), .on_refusal = refusal_policy::drop});
  plug busy(rig.engine);
  rig.engine.poll();
  ASSERT_TRUE(busy.wait_until_it_runs());
  for (int i = 0; i < 5; ++i) rig.engine.schedule_after(0ns, [] {});
  rig.engine.poll();
  EXPECT_EQ(rig.engine.metrics().refused, 3u);
  EXPECT_EQ(rig.engine.metrics().dropped, 3u);
  EXPECT_EQ(rig.engine.pending(), 2u);
}

TEST(ThreadPool, RefusesWhatItsQueueCannotHold) { expect_three_refused(pool_of({.queue_capacity = 2})); }

// An executor of one's own that gives it one after the other.
TEST(ThreadPool, RefusesOneThatItsQueueCannotHold) {
  struct one_by_one : executor {
    explicit one_by_one(std::shared_ptr<thread_pool> to) : pool(std::move(to)) {}
    bool execute(fired_timer&& work) noexcept override { return pool->execute(std::move(work)); }
    std::shared_ptr<thread_pool> pool;
  };
  expect_three_refused(std::make_shared<one_by_one>(pool_of({.queue_capacity = 2})));
}

// However many engines hand over at once.
TEST(ThreadPool, NeverHoldsMoreThanItsCapacity) {
  constexpr std::size_t room = 10, engines = 3, timers = 200;
  auto pool = pool_of({.queue_capacity = room});
  std::deque<engine> all;
  while (all.size() != engines) all.emplace_back(engine_options{.executor = pool, .on_refusal = refusal_policy::drop});
  {
    plug busy(all.front());
    ASSERT_TRUE(busy.wait_until_it_runs());
    const time_point due = clock::now() + 5ms;
    for (engine& each : all) {
      for (std::size_t i = 0; i != timers; ++i) each.schedule_at(due, [] {});
    }
    EXPECT_TRUE(eventually([&] {
      std::uint64_t refused = 0;
      for (engine& each : all) refused += each.metrics().refused;
      return refused == engines * timers - room;
    }));
    EXPECT_EQ(pool->queued(), room);
  }
  EXPECT_TRUE(eventually([&] { return pool->queued() == 0; }));
}

// Both threads wait when they come; the first cannot end before the second has run.
TEST(ThreadPool, WakesAsManyAsAreHandedOverTogether) {
  engine e({.executor = pool_of({.threads = 2})});
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(2ms);  // for both threads to wait; right either way
    std::atomic<bool> second{false}, met{false};
    std::atomic<int> ended{0};
    const time_point due = clock::now() + 1ms;
    e.schedule_at(due, [&] {
      met = eventually([&] { return second.load(); });
      ++ended;
    });
    e.schedule_at(due, [&] {
      second = true;
      ++ended;
    });
    ASSERT_TRUE(eventually([&] { return ended == 2; }));
    ASSERT_TRUE(met);
  }
}

TEST(ThreadPool, RunsInlineWhatItRefusesWhereAsked) {
  drive::virtual_engine rig({.executor = pool_of({.queue_capacity = 1}), .on_refusal = refusal_policy::run_inline});
  plug busy(rig.engine);
  rig.engine.poll();
  ASSERT_TRUE(busy.wait_until_it_runs());
  rig.engine.schedule_after(0ns, [] {});
  std::thread::id ran_on;
  rig.engine.schedule_after(0ns, [&] { ran_on = std::this_thread::get_id(); });
  rig.engine.poll();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(ThreadPool, IsOfferedAgainInOrderWhereAsked) {
  engine e({.executor = pool_of({.queue_capacity = 1}), .on_refusal = refusal_policy::retry});
  ids ran;
  std::atomic<int> count{0};
  {
    plug busy(e);
    ASSERT_TRUE(busy.wait_until_it_runs());
    const time_point due = clock::now();
    for (int id = 0; id < 50; ++id) {
      e.schedule_at(due, [&, id] {
        ran.push_back(id);
        ++count;
      });
    }
    EXPECT_TRUE(eventually([&] { return e.metrics().refused > 0; }));
  }
  ASSERT_TRUE(eventually([&] { return count == 50; }));
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
  EXPECT_EQ(e.metrics().dropped, 0u);
}

TEST(ThreadPool, LetsCancelWinWhileATimerWaitsInItsQueue) {
  drive::virtual_engine rig({.executor = pool_of({})});
  auto captured = std::make_shared<int>();
  timer t;
  {
    plug busy(rig.engine);
    t = rig.engine.schedule_after(0ns, [captured] { FAIL() << "it was cancelled"; });
    rig.engine.poll();
    ASSERT_TRUE(busy.wait_until_it_runs());
    EXPECT_TRUE(t.pending());
    EXPECT_EQ(t.cancel(), cancel_result::cancelled);
    EXPECT_EQ(captured.use_count(), 1);
  }
  EXPECT_EQ(rig.engine.pending(), 0u);
}

TEST(ThreadPool, LetsRestartWinWhileATimerWaitsInItsQueue) {
  drive::virtual_engine rig({.executor = pool_of({})});
  std::atomic<int> runs{0};
  {
    plug busy(rig.engine);
    timer t = rig.engine.schedule_after(0ns, [&] { ++runs; });
    rig.engine.poll();
    ASSERT_TRUE(busy.wait_until_it_runs());
    EXPECT_TRUE(t.restart_at(at(100)));
  }
  EXPECT_EQ(rig.poll_at(at(99)), 0u);
  EXPECT_EQ(runs.load(), 0);
  rig.poll_at(at(100));
  EXPECT_TRUE(eventually([&] { return runs == 1; }));
}

TEST(ThreadPool, StopReturnsWhatWaitsInItsQueueAndWaitsForWhatRuns) {
  drive::virtual_engine rig({.executor = pool_of({})});
  std::atomic<bool> ended{false}, started{false};
  drive::sleeper stops;
  rig.engine.schedule_after(0ns, [&] {
    started = true;
    // Until stop() has collected the others, which it must not keep for after this run, and waits for it.
    EXPECT_TRUE(eventually([&] { return rig.engine.pending() == 0; }));
    EXPECT_TRUE(stops.sleeps());
    ended = true;
  });
  for (int i = 0; i < 3; ++i) rig.engine.schedule_after(0ns, [] {});
  rig.engine.poll();
  ASSERT_TRUE(eventually([&] { return started.load(); }));
  stops.lies_down();
  EXPECT_EQ(rig.engine.stop().size(), 3u);
  EXPECT_TRUE(ended.load());
}

TEST(ThreadPool, RefusesStopFromOneOfItsThreads) {
  drive::virtual_engine rig({.executor = pool_of({})});
  std::error_code refused;
  std::atomic<bool> done{false};
  rig.engine.schedule_after(0ns, [&] {
    refused = problem_of([&] { rig.engine.stop(); }).code;
    done = true;
  });
  rig.engine.poll();
  ASSERT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(refused, errc::called_from_callback);
}

TEST(ThreadPool, DropsWhatWaitsWhenItIsDestroyed) {
  auto pool = pool_of({});
  struct borrowed final : executor {
    std::shared_ptr<thread_pool> to;
    bool execute(fired_timer&& work) noexcept override { return to->execute(std::move(work)); }
  };
  auto by_proxy = std::make_shared<borrowed>();
  by_proxy->to = std::move(pool);
  drive::virtual_engine rig({.executor = by_proxy});
  std::atomic<bool> started{false}, open{false};
  rig.engine.schedule_after(0ns, [&] {
    started = true;
    while (!open) std::this_thread::yield();
  });
  for (int i = 0; i < 3; ++i) rig.engine.schedule_after(0ns, [] {});
  rig.engine.poll();
  ASSERT_TRUE(eventually([&] { return started.load(); }));
  drive::sleeper ends;
  std::thread opener([&] {
    EXPECT_TRUE(ends.sleeps());
    open = true;
  });
  ends.lies_down();
  by_proxy->to.reset();
  opener.join();
  EXPECT_EQ(rig.engine.metrics().expired, 1u);
  EXPECT_EQ(rig.engine.metrics().dropped, 3u);
  EXPECT_EQ(rig.engine.pending(), 0u);
}

TEST(ThreadPool, ServesSeveralEnginesAndOutlivesThem) {
  auto pool = pool_of({.threads = 2});
  std::atomic<int> runs{0};
  for (int life = 0; life < 20; ++life) {
    engine one({.executor = pool, .reserve = 64}), two({.executor = pool, .reserve = 64});
    for (int i = 0; i < 20; ++i) {
      one.schedule_after(0ns, [&] { ++runs; });
      two.schedule_after(0ns, [&] { ++runs; });
    }
    EXPECT_TRUE(eventually([&] { return one.pending() + two.pending() == 0; }));
  }
  EXPECT_TRUE(eventually([&] { return runs == 20 * 40; }));
}

}  // namespace
}  // namespace detent
