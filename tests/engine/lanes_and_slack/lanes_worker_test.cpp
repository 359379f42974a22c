// SPDX-License-Identifier: MIT
// Lanes on a worker: what is critical does not wait for a bulk of hundreds of thousands that is due at one instant,
// neither while that is collected nor while it fires; and all that a callback may do in the middle of it.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"
#include "support/engine_instant.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::census;
using testing::eventually;
using testing::instant;
using testing::moody_executor;
using testing::prepare_instant;

constexpr std::size_t many = 200'000;
constexpr timer_options critical{.lane = 3};

template <class F>
timer schedule_critical(instant& of, time_point when, F&& f) {
  return of.owned->schedule_at(when, std::forward<F>(f), critical);
}

// Inline, or on an executor that runs inline.
class EngineLanesWorker : public ::testing::TestWithParam<bool> {
 protected:
  static engine_options options() {
    engine_options made;
    if (GetParam()) made.executor = std::make_shared<moody_executor>();
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, EngineLanesWorker, ::testing::Bool(),
                         [](const auto& tested) -> std::string { return tested.param ? "executor" : "inline"; });

TEST_P(EngineLanesWorker, RunWhatIsCriticalFirstOfAMillion) {
  std::atomic<std::size_t> at_once{SIZE_MAX}, soon{SIZE_MAX};
  auto all = prepare_instant(options(), 1'000'000, 0, [&](instant& of) {
    schedule_critical(of, of.due, [&] { at_once = of.ran.load(); });
    schedule_critical(of, of.due + 1ms, [&] { soon = of.ran.load(); });
  });
  ASSERT_NE(all, nullptr);
  ASSERT_TRUE(all->wait());
  ASSERT_TRUE(eventually([&] { return soon != SIZE_MAX; }));
  EXPECT_EQ(at_once, 0u);
  EXPECT_LT(soon, 500'000u);
}

// Whatever is due before half of the bulk is through must not wait for the other half.
TEST_P(EngineLanesWorker, DoNotWaitForTheRestOfTheBulk) {
  constexpr int count = 3000;
  std::vector<std::size_t> ran_before(count, SIZE_MAX);
  std::atomic<int> seen{0};
  auto all = prepare_instant(options(), many, 2000, [&](instant& of) {
    for (int i = 0; i < count; ++i) {
      schedule_critical(of, of.due + i * 1ms,
                        [&of, &seen, &before = ran_before[static_cast<std::size_t>(i)]] { before = of.ran, ++seen; });
    }
    seen = 0;
  });
  ASSERT_NE(all, nullptr);
  ASSERT_TRUE(all->wait());
  all->owned->stop();
  int in_time = 0;
  for (int i = 0; i < count && all->due + i * 1ms <= all->half; ++i, ++in_time)
    EXPECT_LT(ran_before[static_cast<std::size_t>(i)], many) << i;
  EXPECT_GT(in_time, 1);
}

// The worker stops once to look, as it collects so few. What it runs there takes a while.
TEST_P(EngineLanesWorker, FireWhatComesDueInAnotherCriticalCallbackBeforeTheBulk) {
  std::atomic<std::size_t> ran_before{SIZE_MAX};
  auto all = prepare_instant(options(), 257, 0, [&](instant& of) {
    schedule_critical(of, of.due, [&of] {
      while (clock::now() < of.due + 2ms) {
      }
    });
    schedule_critical(of, of.due + 1ms, [&] { ran_before = of.ran.load(); });
  });
  ASSERT_NE(all, nullptr);
  ASSERT_TRUE(all->wait());
  ASSERT_TRUE(eventually([&] { return ran_before != SIZE_MAX; }));
  EXPECT_EQ(ran_before, 0u);
}

// Timers that the driver meets there too early are accepted later.
TEST_P(EngineLanesWorker, AcceptWhatACriticalCallbackSchedulesForTheBulk) {
  constexpr std::size_t more = 2000;
  std::atomic<std::size_t> ran{0};
  auto all = prepare_instant(options(), many, 0, [&](instant& of) {
    ran = 0;  // of an earlier try
    schedule_critical(of, of.due, [&] {
      for (std::size_t i = 0; i < more; ++i) of.owned->schedule_after(0ns, [&] { ++ran; });
    });
  });
  ASSERT_NE(all, nullptr);
  ASSERT_TRUE(all->wait());
  EXPECT_TRUE(eventually([&] { return ran == more; }));
}

// A run fires as it lies, while what was collected is sorted: what joins it may not touch either in the middle.
TEST_P(EngineLanesWorker, MayBeRestartedToTheTimeOfARunWhileTheBulkIsSorted) {
  constexpr std::size_t runs = 200, in_each = 8;
  std::vector<timer> moved(runs);
  std::atomic<std::size_t> ran{0}, ended{0};
  const engine_options made = options();
  for (int round = 0; round < 2; ++round) {
    auto all = prepare_instant(made, 0, 0, [&](instant& of) {
      ran = ended = 0;  // of an earlier try
      engine& e = *of.owned;
      for (std::size_t i = 0; i < runs * in_each; ++i) e.schedule_at(of.due + i / in_each * 1us, [&] { ++ran; });
      for (std::size_t i = 0; i < many / 2; ++i)
        e.schedule_at(of.due + 300us + i * 7'919 % 1'000'000 * 1ns, [&] { ++ran; });
      for (std::size_t i = 0; i < runs; ++i) {
        schedule_critical(of, of.due + 3ms + i * 100us, [&, i] { moved[i].restart_at(of.due + i * 1us), ++ended; });
        moved[i] = schedule_critical(of, of.due + 3ms + i * 100us, [&] { ++ended; });
      }
      e.schedule_at(of.due - 1us, [&of] { eventually([&of] { return clock::now() > of.due + 3ms; }); });
    });
    ASSERT_NE(all, nullptr);
    EXPECT_TRUE(eventually([&] { return ran == runs * in_each + many / 2 && ended == 2 * runs; }));
  }
}

TEST_P(EngineLanesWorker, SurviveACriticalCallbackThatThrowsInTheMiddle) {
  std::atomic<int> reported{0};
  engine_options noisy = options();
  noisy.on_error = [&](std::exception_ptr) { ++reported; };
  auto all = prepare_instant(noisy, many, 0, [&](instant& of) {
    reported = 0;  // of an earlier try
    for (int i = 0; i < 20; ++i)
      schedule_critical(of, of.due + 100us * i, [] { throw std::runtime_error("on purpose"); });
  });
  ASSERT_NE(all, nullptr);
  EXPECT_TRUE(all->wait());
  EXPECT_TRUE(eventually([&] { return reported == 20; }));
}

// The callback destroys only what this thread has let go of: a try that comes too late is given up and made again.
TEST_P(EngineLanesWorker, LetACriticalCallbackDestroyTheEngineInTheMiddle) {
  for (duration after : {duration(0us), duration(300us), duration(3ms)}) {
    census captures;
    std::atomic<std::size_t> ran_before{SIZE_MAX};
    std::atomic<bool> let_go{false}, too_late{false};
    std::unique_ptr<instant> all;
    do {
      let_go = false;
      all = prepare_instant(options(), many, 0, [&](instant& of) {
        too_late = false;  // of an earlier try
        schedule_critical(of, of.due + after, [&, token = captures.join()] {
          if (!let_go) {
            too_late = true;
            return;
          }
          const std::size_t before = of.ran;
          of.owned.reset();
          ran_before = before;
        });
        // Due as well when that returns.
        schedule_critical(of, of.due + after, [token = captures.join()] {});
        schedule_critical(of, of.due + 1s, [token = captures.join()] {});
        of.owned->schedule_at(of.due, [token = captures.join()] {});
      });
      ASSERT_NE(all, nullptr);
      let_go = true;
      ASSERT_TRUE(eventually([&] { return too_late || (ran_before != SIZE_MAX && captures.living() == 0); }));
    } while (too_late);
    EXPECT_LT(ran_before, many);
    EXPECT_EQ(all->ran, ran_before);  // nothing runs after the end
  }
}

TEST_P(EngineLanesWorker, AreAccountedForByAStopInTheMiddle) {
  std::atomic<bool> now{false};
  auto all = prepare_instant(options(), many, 0, [&](instant& of) {
    now = false;
    schedule_critical(of, of.due + 100us, [&] { now = true; });
    for (int i = 0; i < 100; ++i) of.owned->schedule_at(of.due + 100us * i, [] {}, {.lane = 1});
  });
  ASSERT_NE(all, nullptr);
  ASSERT_TRUE(eventually([&] { return now.load(); }));
  const std::size_t left = all->owned->stop().size();
  const engine_metrics m = all->owned->metrics();
  EXPECT_EQ(m.returned, left);
  EXPECT_EQ(m.scheduled, m.expired + m.returned);
}

}  // namespace
}  // namespace detent
