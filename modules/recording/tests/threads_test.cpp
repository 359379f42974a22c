// SPDX-License-Identifier: MIT
// A recording of many threads at once: nothing is lost that is not counted, and each timer's rows stand in the order of
// its life.
#include <detent/detent.hpp>
#include <detent/thread_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/engine_eventually.hpp"
#include "support/joined_thread.hpp"
#include "support/recorded_trace.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::recorded_trace;

// Each timer must be armed before it is moved, and must not appear between its end and its next arming.
void expect_lives_in_order(const recorded_trace& trace) {
  std::map<std::uint64_t, bool> armed;
  for (const testing::recorded_row& row : trace.rows) {
    bool& is_armed = armed[row.id];
    ASSERT_EQ(is_armed, row.op != 'S') << row.t << "," << row.op << "," << row.id << "," << row.source;
    is_armed = row.op == 'S' || row.op == 'R';
  }
}

// Timers that any thread may move at any time.
class shared_timers {
 public:
  timer get(std::size_t at) {
    std::lock_guard lock(mutex_);
    return timers_[at % timers_.size()];
  }
  void put(std::size_t at, timer made) {
    std::lock_guard lock(mutex_);
    timers_[at % timers_.size()] = made;
  }

 private:
  std::mutex mutex_;
  std::array<timer, 16> timers_;
};

class EngineRecordThreads : public ::testing::TestWithParam<bool> {
 protected:
  engine_options options() {
    engine_options made{.record = place_.path()};
    if (GetParam()) made.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2});
    return made;
  }
  testing::recording_place place_;
};

TEST_P(EngineRecordThreads, CountsWhatTheEngineCounts) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  engine e(options());
  shared_timers timers;
  std::atomic<std::uint64_t> cancelled{0};
  testing::on_threads(4, [&](int me) {
    std::mt19937 random(seed + static_cast<unsigned>(me));
    for (int i = 0; i < 3000; ++i) {
      const std::size_t at = random();
      const duration delay(random() % 200'000);
      switch (random() % 4) {
        case 0: timers.put(at, e.schedule_after(delay, [] {})); break;
        case 1: timers.put(at, e.schedule_after(delay, [held = std::make_shared<int>()] {})); break;
        case 2: timers.get(at).restart_after(delay); break;
        case 3:
          if (timers.get(at).cancel() == cancel_result::cancelled) ++cancelled;
          break;
      }
    }
  });
  e.stop();
  const engine_metrics metrics = e.metrics();
  const auto trace = recorded_trace::of_file(place_.path());
  EXPECT_EQ(trace.dropped, 0u);
  EXPECT_EQ(trace.count('S'), metrics.scheduled);
  EXPECT_EQ(trace.count('R'), metrics.restarted);
  EXPECT_EQ(trace.count('C'), cancelled.load());
  EXPECT_EQ(trace.count('X'), metrics.fired);
  expect_lives_in_order(trace);
}

TEST_P(EngineRecordThreads, HasRestartsThatMeetAReArming) {
  engine e(options());
  std::atomic<std::uint64_t> restarts{0};
  std::array<timer, 4> timers{};
  for (timer& each : timers) {
    each = e.schedule_after(1us, [&](firing& now) {
      if (restarts < 500) now.rearm_after(20us);
    });
  }
  testing::on_threads(2, [&](int me) {
    while (restarts < 500) {
      for (std::size_t i = 0; i < 8; ++i)
        restarts += timers[(i + static_cast<std::size_t>(me)) % timers.size()].restart_after(20us) ? 1U : 0U;
      std::this_thread::sleep_for(10us);  // of real time, in which the worker re-arms some of them
    }
  });
  EXPECT_TRUE(eventually([&] { return e.pending() == 0; }));
  e.stop();
  const auto trace = recorded_trace::of_file(place_.path());
  const engine_metrics metrics = e.metrics();
  EXPECT_EQ(metrics.restarted, restarts);
  EXPECT_EQ(trace.dropped, 0u);
  EXPECT_EQ(trace.count('S'), metrics.scheduled + metrics.fired - metrics.expired);
  EXPECT_EQ(trace.count('R'), metrics.restarted);
  EXPECT_EQ(trace.count('X'), metrics.fired);
}

TEST_P(EngineRecordThreads, HasWhatPeriodsBulksAndGroupsDoAtOnce) {
  engine e(options());
  std::uint64_t bulk_cancelled = 0;
  timer ticking = e.schedule_at_fixed_rate(0us, 200us, [] {});
  testing::on_threads(2, [&](int me) {
    for (int i = 0; i < 20; ++i) {
      if (me == 0) {
        std::vector<timer> made(100);
        const std::vector<time_point> deadlines(100, clock::now() + 1h);
        e.schedule_at_bulk(
            deadlines, [](std::size_t) {}, made);
        bulk_cancelled += e.cancel_bulk(made);
      } else {
        timer_group group(e);
        for (int each = 0; each < 50; ++each) group.schedule_after(1h, [] {});
        group.pause();
        group.resume();
        group.cancel_all_and_wait();
      }
    }
  });
  EXPECT_TRUE(eventually([&] { return e.pending() == 1; }));
  const bool waited = ticking.cancel_and_wait() == cancel_result::cancelled;
  e.stop();
  const auto trace = recorded_trace::of_file(place_.path());
  EXPECT_EQ(trace.dropped, 0u);
  EXPECT_EQ(bulk_cancelled, 2000u);
  EXPECT_EQ(trace.count('C'), waited ? 3001u : 3000u);
  EXPECT_EQ(trace.count('X'), e.metrics().fired);
  expect_lives_in_order(trace);
}

TEST_P(EngineRecordThreads, ComeAndGo) {
  engine e(options());
  for (int round = 0; round < 50; ++round) {
    testing::on_threads(4, [&] {
      e.schedule_after(1h, [] {}).cancel();
      e.schedule_after(1h, [] {});
    });
  }
  e.stop();
  const auto trace = recorded_trace::of_file(place_.path());
  EXPECT_EQ(trace.dropped, 0u);
  EXPECT_EQ(trace.count('S'), 400u);
  EXPECT_EQ(trace.count('C'), 200u);
  expect_lives_in_order(trace);
}

INSTANTIATE_TEST_SUITE_P(Of, EngineRecordThreads, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "APool" : "TheWorker"; });

TEST(EngineRecordEnd, IsCompleteWhereACallbackDestroysTheEngine) {
  testing::recording_place place;
  auto owned = std::make_unique<engine>(engine_options{.record = place.path()});
  std::atomic<bool> scheduled{false}, gone{false};
  owned->schedule_after(1h, [] {});
  owned->schedule_after(0us, [&] {
    while (!scheduled) std::this_thread::yield();  // the call that uses the engine has returned
    owned.reset();
    gone = true;
  });
  scheduled = true;
  ASSERT_TRUE(eventually([&] { return gone.load(); }));
  const auto trace = recorded_trace::of_file(place.path());
  EXPECT_EQ(trace.count('S'), 2u);
  EXPECT_EQ(trace.count('X'), 1u);
}

TEST(EngineRecordEnd, IsInTheFileSoonWithoutAnEnd) {
  testing::recording_place place;
  engine e({.record = place.path()});
  for (std::size_t rows : {1u, 2u}) {
    e.schedule_after(1h, [] {});
    EXPECT_TRUE(eventually([&] { return recorded_trace::of_file(place.path()).rows.size() == rows; }));
  }
}

}  // namespace
}  // namespace detent
