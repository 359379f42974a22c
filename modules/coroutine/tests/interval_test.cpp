// SPDX-License-Identifier: MIT
#include <detent/detent.hpp>
#include <detent/interval.hpp>

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "support/coroutine_tasks.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent::drive {
namespace {

using testing::owned_task;

struct point {
  duration deadline, came;
  std::uint64_t missed;
  friend bool operator==(const point&, const point&) = default;
};

class CoroutineInterval : public in_virtual_time {
 protected:
  owned_task run(periodic_options options, std::stop_token stop = {}) {
    interval every(engine_, 10ms, options);
    for (;;) {
      const bool came = co_await every.next(stop);
      if (!came) break;
      points_.push_back({every.deadline() - time_point(), clock_.now() - time_point(), every.missed()});
    }
    over_ = true;
  }
  std::vector<point> points_;
  bool over_ = false;
};

TEST_F(CoroutineInterval, ComesAtEachPointOfItsGrid) {
  owned_task task = run({});
  clock_.run_for(35ms, engine_);
  EXPECT_EQ(points_, (std::vector<point>{{10ms, 10ms, 0}, {20ms, 20ms, 0}, {30ms, 30ms, 0}}));
}

TEST_F(CoroutineInterval, SkipsThePointsThatHaveGoneBy) {
  owned_task task = run({});
  rig_.poll_all_at(at(35ms));
  rig_.poll_all_at(at(40ms));
  EXPECT_EQ(points_, (std::vector<point>{{30ms, 35ms, 2}, {40ms, 40ms, 0}}));
}

TEST_F(CoroutineInterval, CatchesUpPointByPointInABurst) {
  owned_task task = run({.missed_policy = missed_ticks::burst});
  rig_.poll_all_at(at(35ms));
  EXPECT_EQ(points_, (std::vector<point>{{10ms, 35ms, 0}, {20ms, 35ms, 0}, {30ms, 35ms, 0}}));
}

TEST_F(CoroutineInterval, BeginsItsGridAnewAfterADelay) {
  owned_task task = run({.missed_policy = missed_ticks::delay});
  rig_.poll_all_at(at(35ms));
  rig_.poll_all_at(at(44ms));
  rig_.poll_all_at(at(45ms));
  EXPECT_EQ(points_, (std::vector<point>{{10ms, 35ms, 0}, {45ms, 45ms, 0}}));
}

TEST_F(CoroutineInterval, EndsAfterItsRunsAndByItsToken) {
  owned_task task = run({.runs = 2});
  clock_.run_for(1s, engine_);
  EXPECT_EQ(points_.size(), 2u);
  EXPECT_TRUE(over_);
  over_ = false;
  std::stop_source source;
  owned_task other = run({}, source.get_token());
  source.request_stop();
  engine_.poll();
  EXPECT_TRUE(over_);
  EXPECT_EQ(points_.size(), 2u);
}

TEST_F(CoroutineInterval, RunsWithItsOptions) {
  const label counted = engine_.make_label("every");
  owned_task task = run({.label = counted});
  clock_.run_for(35ms, engine_);
  EXPECT_EQ(engine_.metrics(counted).fired, 3u);
}

TEST_F(CoroutineInterval, RefusesAPeriodThatIsNone) {
  for (const duration period : {duration(0), duration(-1), (duration::min)()}) {
    const problem refused = problem_of([&] { interval every(engine_, period); });
    EXPECT_EQ(refused.code, errc::invalid_period);
    EXPECT_TRUE(refused.names("period = " + std::to_string(period.count()) + " ns"));
  }
  owned_task task = run({.lane = 9});
  EXPECT_TRUE(problem_of([&] { std::rethrow_exception(task.thrown()); }).names("lane = 9"));
}

// Ends the engine when the run of a tick has started, and before the interval notes it.
struct tick_after_the_end {
  interval::tick of;
  std::optional<engine>& ends;

  bool await_ready() noexcept { return of.await_ready(); }
  void await_suspend(std::coroutine_handle<> sleeper) { of.await_suspend(sleeper); }
  bool await_resume() {
    ends.reset();
    return of.await_resume();
  }
};

TEST_F(CoroutineInterval, MissesNothingWhereItsEngineEndsDuringARunThatWasHandedOver) {
  const auto holding = std::make_shared<testing::holding_executor>();
  std::optional<engine> ends(std::in_place, engine_options{.manual = &clock_, .executor = holding});
  std::optional<point> only;
  auto once = [&]() -> owned_task {
    interval every(*ends, 10ms);
    const bool came = co_await tick_after_the_end{every.next(), ends};
    if (came) only = {every.deadline() - time_point(), 0ms, every.missed()};
  };
  owned_task task = once();
  clock_.advance(10ms);
  ends->poll();
  EXPECT_EQ(holding->run_all(), 1u);
  EXPECT_EQ(only, (point{10ms, 0ms, 0}));
}

TEST_F(CoroutineInterval, OfAHugePeriodNeverComes) {
  std::optional<bool> came;
  auto once = [&]() -> owned_task {
    interval every(engine_, (duration::max)());
    came = co_await every.next();
  };
  owned_task task = once();
  rig_.poll_all_at(at(1'000'000h));
  EXPECT_FALSE(came);
}

TEST_F(CoroutineInterval, GoesOnWhereItsEngineIsMovedAndEndsWithIt) {
  manual_clock clock;
  auto first = std::make_unique<engine>(engine_options{.manual = &clock});
  int came = 0;
  auto count = [&](engine& on) -> owned_task {
    interval every(on, 10ms);
    for (;;) {
      const bool is_there = co_await every.next();
      if (is_there) ++came;
    }
  };
  owned_task task = count(*first);
  {
    engine second(std::move(*first));
    first.reset();
    clock.run_for(35ms, second);
    EXPECT_EQ(came, 3);
  }
  EXPECT_EQ(problem_of([&] { std::rethrow_exception(task.thrown()); }).code, errc::stopped);
}

}  // namespace
}  // namespace detent::drive
