// SPDX-License-Identifier: MIT
// Groups against everything that other threads may do to them and to their members.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/joined_thread.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using test::new_seed;
using test::random_source;
using testing::census;
using testing::eventually;

// On the worker, and on a pool of two.
class TimerGroupRace : public ::testing::TestWithParam<bool> {
 protected:
  static engine_options options() {
    engine_options wanted;
    if (GetParam()) wanted.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2});
    return wanted;
  }
  engine engine_{options()};
};
INSTANTIATE_TEST_SUITE_P(All, TimerGroupRace, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "pool" : "worker"; });

TEST_P(TimerGroupRace, AfterACancelThatWaitsNothingOfItRuns) {
  random_source random(new_seed());
  timer_group group(engine_);
  struct subject {
    std::uint64_t runs = 0;  // not atomic: a run after the wait is a data race
    std::atomic<bool> closed{false};
  };
  std::atomic<int> late{0};
  for (int round = 0; round < 1500; ++round) {
    std::array<subject, 8> subjects;
    for (subject& each : subjects) {
      auto use = [&late, used = &each] {
        if (used->closed) late.fetch_add(1);
        ++used->runs;
      };
      const duration delay(random.between(0, 30'000));
      random.between(0, 1) == 0 ? group.schedule_after(delay, use)
                                : group.schedule_at_fixed_rate(delay, 2us, use, {.missed_policy = missed_ticks::skip});
    }
    const auto until = clock::now() + duration(random.between(0, 40'000));
    while (clock::now() < until) {
    }
    group.cancel_all_and_wait();
    for (subject& each : subjects) {
      each.closed = true;
      each.runs = 0;
    }
  }
  EXPECT_EQ(late, 0);
  EXPECT_TRUE(eventually([&] { return engine_.pending() == 0; }));
}

TEST_P(TimerGroupRace, WhatIsAddedOrRestartedAtTheResumptionIsNotLost) {
  random_source random(new_seed());
  timer_group group(engine_);
  for (int round = 0; round < 500; ++round) {
    std::atomic<int> runs{0};
    auto run = [&] { runs.fetch_add(1); };
    group.pause();
    timer early = group.schedule_after(1h, run);
    group.schedule_after(duration(random.between(0, 2000)), [&, again = false](firing& now) mutable {
      runs.fetch_add(1);
      if (!std::exchange(again, true)) now.rearm_after(1us);
    });
    std::atomic<bool> go{false};
    testing::joined_thread adder([&] {
      while (!go) std::this_thread::yield();
      group.schedule_after(duration(random.between(0, 2000)), run);
      EXPECT_TRUE(early.restart_after(1us));
    });
    go = true;
    if (round % 2 == 0) {
      group.resume();
      group.pause();
    }
    group.resume();
    ASSERT_TRUE(eventually([&] { return runs == 4; })) << round << ": " << runs;
    adder.join();
  }
}

}  // namespace
}  // namespace detent
