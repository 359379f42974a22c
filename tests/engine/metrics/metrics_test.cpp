// SPDX-License-Identifier: MIT
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;

void expect_balance(const engine_metrics& m) {
  EXPECT_EQ(m.scheduled, m.expired + m.cancelled + m.returned + m.dropped + m.pending)
      << "expired " << m.expired << " cancelled " << m.cancelled << " returned " << m.returned << " dropped "
      << m.dropped << " pending " << m.pending;
}

// Takes every second piece of work; of what it takes, runs one half and lets go of the other.
class moody_executor : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    switch (calls_++ % 4) {
      case 0: work(); return true;
      case 1: static_cast<void>(fired_timer(std::move(work))); return true;
      default: return false;
    }
  }

 private:
  unsigned calls_ = 0;
};

TEST(EngineMetrics, CountEachTimerUnderTheWayItEnded) {
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(10), [] {});
  rig.engine.schedule_at(at(20), [] {}).cancel();
  rig.engine.schedule_at(at(10), [](firing& f) { EXPECT_EQ(f.self().cancel(), cancel_result::running); });
  rig.engine.schedule_at(at(10), [](firing& f) {
    f.rearm_after(1ns);
    f.self().cancel();
  });
  rig.engine.schedule_at_fixed_rate(10ns, 1h, [](firing& f) { f.self().cancel(); });
  rig.engine.schedule_at(at(1), [] {}, {.max_lateness = 5ns});
  rig.engine.schedule_at(at(1), [] {}, {.max_lateness = 5ns, .stale = stale_policy::run});
  rig.engine.schedule_at_fixed_rate(10ns, 1h, [] {}, {.runs = 1});
  rig.engine.schedule_at(at(1h), [] {});
  rig.poll_at(at(10));
  EXPECT_EQ(rig.engine.metrics().pending, 1u);
  rig.engine.stop();
  const engine_metrics m = rig.engine.metrics();
  EXPECT_EQ(m.scheduled, 9u);
  EXPECT_EQ(m.expired, 5u);  // a one-shot that a cancel finds running, too
  EXPECT_EQ(m.cancelled, 2u);
  EXPECT_EQ(m.dropped, 1u);
  EXPECT_EQ(m.returned, 1u);
  EXPECT_EQ(m.pending, 0u);
  EXPECT_EQ(m.fired, 6u);
  expect_balance(m);
}

TEST(EngineMetrics, CountDrainsThatFoundSomething) {
  drive::virtual_engine rig;
  for (int i = 0; i < 100; ++i) rig.engine.schedule_at(at(1h), [] {});
  rig.engine.poll();
  const engine_metrics taken = rig.engine.metrics();
  EXPECT_EQ(taken.drained, 100u);
  EXPECT_GE(taken.drains, 1u);
  for (int i = 0; i < 10; ++i) rig.engine.poll();
  EXPECT_EQ(rig.engine.metrics().drains, taken.drains);
}

TEST(EngineMetrics, ShowWhatTheEngineHasNotAcceptedYet) {
  drive::virtual_engine rig;
  for (int i = 0; i < 100; ++i) rig.engine.schedule_at(at(1h), [] {});
  EXPECT_EQ(rig.engine.metrics().backlog, 100u);
  rig.engine.poll();
  EXPECT_EQ(rig.engine.metrics().backlog, 0u);
}

TEST(EngineMetrics, ReportLatenessWithinOnePercentOverAllScales) {
  for (std::int64_t late : {0ll, 1ll, 7ll, 100ll, 999ll, 12'345ll, 1'000'003ll, 777'777'777ll, 86'400'000'000'000ll}) {
    drive::virtual_engine rig;
    for (int i = 0; i < 100; ++i) rig.engine.schedule_at(at(10), [] {});
    rig.poll_at(at(10 + late));
    rig.engine.schedule_at(at(10), [] {});  // a much later one, so that the maximum does not help
    rig.poll_at(at(1'000 + 3 * late));
    const double reported = static_cast<double>(rig.engine.metrics().lateness.percentile(50).count());
    EXPECT_LE(std::abs(reported - static_cast<double>(late)), 0.01 * static_cast<double>(late)) << late;
  }
}

// One random action of a producer, out of everything that a program may do.
void anything(engine& e, std::mt19937_64& random, std::vector<timer>& mine) {
  const auto soon = [&] { return duration(static_cast<std::int64_t>(random() % 2'000'000)); };
  timer& some = mine[random() % mine.size()];
  switch (random() % 12) {
    case 0: some = e.schedule_after(soon(), [] {}); break;
    case 1: some = e.schedule_after(soon(), [big = std::array<char, 64>{}] { static_cast<void>(big); }); break;
    case 2: some = e.schedule_after(soon(), [] { throw std::runtime_error("thrown"); }); break;
    case 3: some = e.schedule_after(0ns, [] {}, {.max_lateness = 0ns}); break;
    case 4: some = e.schedule_at_fixed_rate(soon(), 200us, [] {}, {.runs = random() % 4}); break;
    case 5: some = e.schedule_with_fixed_delay(soon(), 200us, [] {}, {.runs = random() % 4}); break;
    case 6: {
      auto again = [left = 3](firing& f) mutable {
        if (left-- > 0) f.rearm_after(100us);
      };
      some = e.schedule_after(soon(), again);
      break;
    }
    case 7: some = e.schedule_after(soon(), [](firing& f) { f.self().cancel(); }); break;
    case 8: some.cancel_and_wait(); break;
    case 9: some.restart_after(soon()); break;
    default: some.cancel(); break;
  }
}

void expect_balance_after_a_storm(engine_options options) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  options.on_error = [](std::exception_ptr) {};
  engine e(std::move(options));
  std::atomic<bool> storm{true};
  std::atomic<int> impossible{0};
  std::thread watcher([&] {
    while (storm) impossible += e.pending() > 1'000'000 ? 1 : 0;  // below zero would be huge
  });
  auto producer = [&](std::uint64_t own_seed) {
    std::mt19937_64 random(own_seed);
    std::vector<timer> mine(64);
    for (int i = 0; i < 10'000; ++i) anything(e, random, mine);
    for (timer& each : mine) each.cancel();
  };
  std::thread other(producer, seed + 1);
  producer(seed);
  other.join();
  storm = false;
  watcher.join();
  EXPECT_EQ(impossible.load(), 0);
  const std::size_t returned = e.stop().size();
  const engine_metrics m = e.metrics();
  expect_balance(m);
  EXPECT_EQ(m.pending, 0u);
  EXPECT_EQ(e.pending(), 0u);
  EXPECT_EQ(m.returned, returned);
  EXPECT_GE(m.fired, m.expired);
  EXPECT_EQ(m.lateness.count(), m.fired);
}

TEST(EngineMetricsStorm, BalanceInline) { expect_balance_after_a_storm({}); }
TEST(EngineMetricsStorm, BalanceOnTheHashedWheel) {
  expect_balance_after_a_storm({.tick = 1us, .wheel = wheel_kind::hashed, .hashed_slots = 64});
}
TEST(EngineMetricsStorm, BalanceOnAPool) {
  expect_balance_after_a_storm({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2})});
}
TEST(EngineMetricsStorm, BalanceWithAnExecutorThatRefusesAndDrops) {
  expect_balance_after_a_storm({.executor = std::make_shared<moody_executor>(), .on_refusal = refusal_policy::drop});
}
TEST(EngineMetricsStorm, BalanceWithAnExecutorThatRefusesAndIsAskedAgain) {
  expect_balance_after_a_storm({.executor = std::make_shared<moody_executor>(), .on_refusal = refusal_policy::retry});
}
TEST(EngineMetricsStorm, BalanceUnderACapacity) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  engine e({.max_pending = 100});
  std::mt19937_64 random(seed);
  std::vector<timer> mine(64);
  std::uint64_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    timer& some = mine[random() % mine.size()];
    if (random() % 3 == 0) {
      some.cancel();
    } else {
      some = e.try_schedule_after(duration(static_cast<std::int64_t>(random() % 30'000'000)), [] {});
      refused += some ? 0u : 1u;
    }
    ASSERT_LE(e.pending(), 100u);
  }
  EXPECT_GT(refused, 0u);
  EXPECT_TRUE(eventually([&] {
    const engine_metrics seen = e.metrics();
    return seen.expired + seen.cancelled == seen.scheduled;
  }));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(e.try_schedule_after(1h, [] {})) << "no place was lost";
  EXPECT_FALSE(e.try_schedule_after(1h, [] {}));
  e.stop();
  expect_balance(e.metrics());
}

}  // namespace
}  // namespace detent
