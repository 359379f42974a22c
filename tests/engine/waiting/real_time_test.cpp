// SPDX-License-Identifier: MIT
// Worker-driven engines in real time: nothing is early, nothing is lost. How late is never judged by a fixed number.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/engine_eventually.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

// The record of one timer. Its callback writes it, and it is read once all have run.
struct sighting {
  time_point not_before;  // read before the schedule call, the delay added
  time_point deadline, started, really;
  duration lateness{};
  int runs = 0;

  void note(const firing& f) {
    deadline = f.deadline(), started = f.started(), really = clock::now(), lateness = f.lateness();
    ++runs;
  }
};

void expect_none_early(const std::vector<sighting>& seen, duration tick) {
  for (const sighting& each : seen) {
    ASSERT_EQ(each.runs, 1);
    EXPECT_GE(each.deadline, each.not_before);
    EXPECT_GE(each.started, each.deadline);
    EXPECT_GE(each.really, each.started);
    EXPECT_EQ(each.lateness, each.started - each.deadline);
    EXPECT_EQ(each.deadline.time_since_epoch() % tick, 0ns);
  }
}

// Delays from below zero to 20 ms.
std::vector<sighting> run_random_timers(engine& e, test::random_source& random, std::size_t count) {
  std::vector<sighting> seen(count);
  std::atomic<std::size_t> done{0};
  for (sighting& each : seen) {
    const duration delay(random.between<std::int64_t>(-1'000'000, 20'000'000));
    each.not_before = clock::now() + delay;
    e.schedule_after(delay, [&](firing& f) {
      each.note(f);
      ++done;
    });
  }
  EXPECT_TRUE(eventually([&] { return done == count; }));
  return seen;
}

using kinds = std::tuple<wait_options::kind, wheel_kind, std::int64_t>;

class EngineRealTime : public ::testing::TestWithParam<kinds> {
 protected:
  static engine_options options() {
    auto [wait, wheel, tick] = GetParam();
    engine_options made{.tick = duration(tick), .wheel = wheel};
    made.wait = wait == wait_options::kind::busy     ? wait_options::busy()
                : wait == wait_options::kind::hybrid ? wait_options::hybrid()
                                                     : wait_options::sleep();
    return made;
  }
};

std::string kinds_name(const ::testing::TestParamInfo<kinds>& info) {
  static const char* const waits[] = {"busy", "hybrid", "sleep"};
  auto [wait, wheel, tick] = info.param;
  return std::string(waits[static_cast<int>(wait)]) + (wheel == wheel_kind::hashed ? "_hashed_" : "_hierarchical_") +
         std::to_string(tick);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineRealTime,
                         ::testing::Combine(::testing::Values(wait_options::kind::busy, wait_options::kind::hybrid,
                                                              wait_options::kind::sleep),
                                            ::testing::Values(wheel_kind::hierarchical, wheel_kind::hashed),
                                            ::testing::Values(1, 7, 1'000'000)),
                         kinds_name);

TEST_P(EngineRealTime, FiresNothingEarlyAndEachOnce) {
  test::random_source random(1);
  engine e(options());
  std::vector<sighting> seen = run_random_timers(e, random, 200);
  expect_none_early(seen, duration(std::get<2>(GetParam())));
}

TEST(EngineRealTimeOnAPool, FiresNothingEarlyAndEachOnce) {
  test::random_source random(3);
  engine e({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
  expect_none_early(run_random_timers(e, random, 500), 1ns);
}

TEST(EngineRealTimeLateness, IsWhatTheCallbacksSawInTheSameRun) {
  test::random_source random(4);
  engine e;
  const std::vector<sighting> seen = run_random_timers(e, random, 300);
  e.stop();  // the last is counted after its callback
  const histogram reported = e.metrics().lateness;
  const duration worst =
      std::max_element(seen.begin(), seen.end(), [](auto& a, auto& b) { return a.lateness < b.lateness; })->lateness;
  EXPECT_EQ(reported.count(), seen.size());
  EXPECT_EQ(reported.max(), worst);
}

TEST(EngineRealTimeLateness, IsAtLeastWhatACallbackAheadOfItTook) {
  engine e;
  sighting blocked;
  std::atomic<bool> done{false};
  std::atomic<std::int64_t> ended{0};
  const time_point due = clock::now() + 2ms;
  e.schedule_at(due, [&] {
    std::this_thread::sleep_for(5ms);  // real time, as the worker reads no other clock
    ended = clock::now().time_since_epoch().count();
  });
  e.schedule_at(due, [&](firing& f) {
    blocked.note(f);
    done = true;
  });
  ASSERT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_GE(blocked.started.time_since_epoch().count(), ended.load());
  EXPECT_GE(blocked.lateness, 5ms);
}

TEST(EngineRealTimeFarAway, DelaysBeyondAllTimeNeitherFireNorHoldUpOthers) {
  engine e;
  std::atomic<int> far{0}, near{0};
  std::vector<timer> timers;
  for (duration delay : {duration::max(), duration::max() / 2, duration::max() / 4, duration(250 * 365 * 24h)}) {
    timers.push_back(e.schedule_after(delay, [&] { ++far; }));
  }
  for (int i = 0; i < 10; ++i) e.schedule_after(1ms, [&] { ++near; });
  EXPECT_TRUE(eventually([&] { return near == 10; }));
  EXPECT_EQ(far, 0);
  for (timer& each : timers) EXPECT_EQ(each.cancel(), cancel_result::cancelled);
}

}  // namespace
}  // namespace detent
