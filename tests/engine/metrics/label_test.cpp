// SPDX-License-Identifier: MIT
// What is counted apart for a label: each end of a timer, in each of its states, and its runs.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

struct wanted {
  std::uint64_t scheduled = 0, expired = 0, cancelled = 0, returned = 0, dropped = 0, pending = 0;
  std::uint64_t fired = 0, restarted = 0, failed = 0;
};

void expect_counts(const engine_metrics& reported, const wanted& w) {
  EXPECT_EQ(reported.scheduled, w.scheduled) << "scheduled";
  EXPECT_EQ(reported.expired, w.expired) << "expired";
  EXPECT_EQ(reported.cancelled, w.cancelled) << "cancelled";
  EXPECT_EQ(reported.returned, w.returned) << "returned";
  EXPECT_EQ(reported.dropped, w.dropped) << "dropped";
  EXPECT_EQ(reported.pending, w.pending) << "pending";
  EXPECT_EQ(reported.fired, w.fired) << "fired";
  EXPECT_EQ(reported.restarted, w.restarted) << "restarted";
  EXPECT_EQ(reported.failed, w.failed) << "failed";
  EXPECT_EQ(reported.lateness.count(), w.fired) << "lateness";
}

// What a label and its engine count alike.
wanted counts_of(const engine_metrics& reported) {
  return {reported.scheduled, reported.expired, reported.cancelled, reported.returned, reported.dropped,
          reported.pending,   reported.fired,   reported.restarted, reported.failed};
}

// Every timer is of one label; beside them there are some of none and of another.
class EngineLabel : public ::testing::Test {
 protected:
  EngineLabel() : EngineLabel(nullptr) {}
  explicit EngineLabel(std::shared_ptr<executor> runs, refusal_policy policy = refusal_policy::run_inline)
      : rig_({.executor = std::move(runs), .on_refusal = policy, .on_error = [](std::exception_ptr) {}}) {
    engine_.schedule_at(at(1h), [] {});
    engine_.schedule_at(at(1h), [] {}, {.label = other_});
  }
  ~EngineLabel() override { EXPECT_EQ(engine_.metrics(other_).scheduled, 1u); }
  void expect(const wanted& w) const { expect_counts(engine_.metrics(mine_), w); }
  template <class F>
  timer schedule(time_point deadline, F&& f) {
    return engine_.schedule_at(deadline, std::forward<F>(f), {.label = mine_});
  }

  drive::virtual_engine rig_;
  engine& engine_ = rig_.engine;
  label mine_ = engine_.make_label("mine"), other_ = engine_.make_label("other");
};

class EngineLabelHeld : public EngineLabel {
 protected:
  EngineLabelHeld() : EngineLabelHeld(std::make_shared<testing::holding_executor>()) {}
  explicit EngineLabelHeld(std::shared_ptr<testing::holding_executor> held)
      : EngineLabel(held, refusal_policy::drop), held_(std::move(held)) {}
  std::shared_ptr<testing::holding_executor> held_;
};

TEST_F(EngineLabel, AnExpiredOne) {
  schedule(at(10), [] {});
  expect({.scheduled = 1, .pending = 1});
  rig_.poll_at(at(5));
  expect({.scheduled = 1, .pending = 1});
  rig_.poll_at(at(17));
  expect({.scheduled = 1, .expired = 1, .fired = 1});
  EXPECT_EQ(engine_.metrics(mine_).lateness.max(), 7ns);
  EXPECT_EQ(engine_.metrics(mine_).late_wait.max(), 7ns);
}

TEST_F(EngineLabel, CancelledBeforeAndAfterItIsAccepted) {
  timer queued = schedule(at(10), [] {}), armed = schedule(at(10), [] {});
  queued.cancel();
  expect({.scheduled = 2, .cancelled = 1, .pending = 1});
  rig_.poll_at(at(5));
  armed.cancel();
  armed.cancel();
  expect({.scheduled = 2, .cancelled = 2});
  rig_.poll_at(at(10));
  expect({.scheduled = 2, .cancelled = 2});
}

TEST_F(EngineLabel, CancelledWhileItRuns) {
  schedule(at(10), [](firing& f) { f.self().cancel(); });
  engine_.schedule_at_fixed_rate(10ns, 10ns, [](firing& f) { f.self().cancel(); }, {.label = mine_});
  rig_.poll_at(at(100));
  expect({.scheduled = 2, .expired = 1, .cancelled = 1, .fired = 2});
}

TEST_F(EngineLabelHeld, CancelledOnTheExecutorsSide) {
  timer handed = schedule(at(10), [] {});
  rig_.poll_at(at(10));
  expect({.scheduled = 1, .pending = 1});
  handed.cancel();
  held_->run_all();
  expect({.scheduled = 1, .cancelled = 1});
}

TEST_F(EngineLabel, DroppedAsStale) {
  engine_.schedule_at(at(10), [] {}, {.max_lateness = 5ns, .label = mine_});
  engine_.schedule_at(at(10), [] {}, {.max_lateness = 5ns, .stale = stale_policy::run, .label = mine_});
  rig_.poll_at(at(50));
  expect({.scheduled = 2, .expired = 1, .dropped = 1, .fired = 1});
}

TEST_F(EngineLabelHeld, RefusedOrLetGo) {
  schedule(at(10), [] {});
  rig_.poll_at(at(10));
  held_->held.clear();
  expect({.scheduled = 1, .dropped = 1});
  held_->refuse = true;
  schedule(at(20), [] {});
  rig_.poll_at(at(20));
  expect({.scheduled = 2, .dropped = 2});
}

TEST_F(EngineLabelHeld, ReturnedFromEachState) {
  schedule(at(10), [] {});
  schedule(at(30min), [] {});
  engine_.schedule_at_fixed_rate(30min, 1s, [] {}, {.label = mine_});
  rig_.poll_at(at(10));
  schedule(at(10), [] {});
  expect({.scheduled = 4, .pending = 4});
  engine_.stop();
  expect({.scheduled = 4, .returned = 4});
}

TEST_F(EngineLabelHeld, NotTheEndsOfAPlainOneInItsPlace) {
  timer ended = schedule(at(10), [] {});
  rig_.poll_at(at(10));
  held_->run_all();
  timer dropped = rig_.note_in_place_of(ended, at(20), 1);
  rig_.poll_at(at(20));
  held_->held.clear();
  EXPECT_EQ(engine_.metrics().dropped, 1u);
  rig_.note_in_place_of(dropped, at(30min), 1);
  engine_.stop();
  expect({.scheduled = 1, .expired = 1, .fired = 1});
}

TEST_F(EngineLabel, RestartedInEachState) {
  timer one = schedule(at(10), [] {});
  EXPECT_TRUE(one.restart_at(at(20)));
  std::thread([&] { EXPECT_TRUE(one.restart_at(at(30))); }).join();
  rig_.poll_at(at(1));
  EXPECT_TRUE(one.restart_at(at(40)));
  std::thread([&] { EXPECT_TRUE(one.restart_after(50ns)); }).join();
  expect({.scheduled = 1, .pending = 1, .restarted = 4});
  rig_.poll_at(at(60));
  EXPECT_FALSE(one.restart_at(at(70)));
  expect({.scheduled = 1, .expired = 1, .fired = 1, .restarted = 4});
}

TEST_F(EngineLabel, RunsThatThrow) {
  schedule(at(10), [] { throw std::runtime_error(""); });
  engine_.schedule_at_fixed_rate(10ns, 10ns, [] { throw 1; }, {.runs = 2, .label = mine_});
  rig_.poll_at(at(10));
  rig_.poll_at(at(20));
  expect({.scheduled = 2, .expired = 2, .fired = 3, .failed = 3});
}

TEST_F(EngineLabel, APeriodicOneIsPendingUntilItsLastRun) {
  std::uint64_t pending_inside = 0;
  engine_.schedule_with_fixed_delay(10ns, 10ns, [&] { pending_inside = engine_.metrics(mine_).pending; },
                                    {.runs = 2, .label = mine_});
  rig_.poll_at(at(10));
  EXPECT_EQ(pending_inside, 1u);
  expect({.scheduled = 1, .pending = 1, .fired = 1});
  rig_.poll_at(at(20));
  expect({.scheduled = 1, .expired = 1, .fired = 2});
}

TEST_F(EngineLabel, AOneShotArmedAgainIsPendingOnceMore) {
  std::uint64_t pending_inside = 7;
  int runs = 0;
  schedule(at(10), [&](firing& f) {
    pending_inside = engine_.metrics(mine_).pending;
    if (++runs < 3) f.rearm_after(10ns);
  });
  rig_.poll_at(at(10));
  EXPECT_EQ(pending_inside, 0u);
  expect({.scheduled = 1, .pending = 1, .fired = 1});
  rig_.poll_at(at(20));
  rig_.poll_at(at(30));
  expect({.scheduled = 1, .expired = 1, .fired = 3});
}

TEST_F(EngineLabel, GroupsAndManyAtOnce) {
  timer_group group(engine_);
  for (int i = 0; i < 5; ++i) group.schedule_at(at(10), [] {}, {.label = mine_});
  rig_.poll_at(at(1));
  group.cancel_all();
  rig_.poll_at(at(2));
  expect({.scheduled = 5, .cancelled = 5});
  std::vector<time_point> deadlines(6, at(20));
  std::array<timer, 6> out;
  EXPECT_EQ(engine_.schedule_at_bulk(deadlines, [](std::size_t) {}, out, {.label = mine_}), 6u);
  expect({.scheduled = 11, .cancelled = 5, .pending = 6});
  EXPECT_EQ(engine_.cancel_bulk(std::span(out).first(2)), 2u);
  rig_.poll_at(at(20));
  expect({.scheduled = 11, .expired = 4, .cancelled = 7, .fired = 4});
}

TEST_F(EngineLabel, AGroupsPeriodicOnes) {
  timer_group group(engine_);
  group.schedule_at_fixed_rate(10ns, 10ns, [] {}, {.runs = 2, .label = mine_});
  group.schedule_with_fixed_delay(10ns, 10ns, [] {}, {.runs = 2, .label = mine_});
  for (int now : {10, 20, 30}) rig_.poll_at(at(now));
  expect({.scheduled = 2, .expired = 2, .fired = 4});
}

// Those that are in the wheel, and those that the driver never saw.
TEST_F(EngineLabel, AGroupThatIsCancelledAtTheEndIsNotReturned) {
  timer_group group(engine_);
  for (int i = 0; i < 2; ++i) group.schedule_at(at(10), [] {}, {.label = mine_});
  rig_.poll_at(at(1));
  for (int i = 0; i < 3; ++i) group.schedule_at(at(10), [] {}, {.label = mine_});
  group.cancel_all();
  engine_.stop();
  expect({.scheduled = 5, .cancelled = 5});
}

TEST(EngineLabelSums, LabelsAddUpToTheirEngine) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    test::random_source random(seed);
    auto held = std::make_shared<testing::holding_executor>();
    engine_options options{.on_refusal = refusal_policy::drop, .on_error = [](std::exception_ptr) {}};
    if (seed % 2 == 0) options.executor = held;
    drive::virtual_engine rig(std::move(options));
    std::array<label, 5> labels;
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = rig.engine.make_label("label " + std::to_string(i));
    timer_group group(rig.engine);
    std::vector<timer> known;
    auto work = [&](firing& f) {
      if (random.between(0, 3) == 0) f.rearm_after(100ns);
      if (random.between(0, 9) == 0) f.self().cancel();
      if (random.between(0, 9) == 0) throw 1;
    };
    for (int i = 0; i < 1'000; ++i) {
      const label mine = labels[random.between<std::size_t>(0, labels.size() - 1)];
      const duration delay = duration(random.any_magnitude(11)) - 10ns;
      const time_point due = rig.clock.now() + delay;
      timer* any = known.empty() ? nullptr : &known[random.between<std::size_t>(0, known.size() - 1)];
      switch (random.between(0, 10)) {
        case 0:
        case 1: known.push_back(rig.engine.schedule_at(due, work, {.max_lateness = 300ns, .label = mine})); break;
        case 2:
          known.push_back(rig.engine.schedule_at_fixed_rate(delay, 50ns, work, {.runs = 5, .label = mine}));
          break;
        case 3: known.push_back(group.schedule_at(due, work, {.label = mine})); break;
        case 4: group.cancel_all(); break;
        case 5: held->refuse = random.between(0, 3) == 0; break;
        case 6:
          if (any != nullptr) any->cancel();
          break;
        case 7:
          if (any != nullptr) any->restart_at(due);
          break;
        case 8: held->run_all(); break;
        default: rig.poll_at(rig.clock.now() + duration(random.any_magnitude(9)));
      }
      if (i % 50 != 49) continue;
      wanted sum;
      for (const label& each : labels) {
        const wanted part = counts_of(rig.engine.metrics(each));
        sum = {sum.scheduled + part.scheduled, sum.expired + part.expired,     sum.cancelled + part.cancelled,
               sum.returned + part.returned,   sum.dropped + part.dropped,     sum.pending + part.pending,
               sum.fired + part.fired,         sum.restarted + part.restarted, sum.failed + part.failed};
        EXPECT_EQ(part.scheduled, part.expired + part.cancelled + part.returned + part.dropped + part.pending);
      }
      expect_counts(rig.engine.metrics(), sum);
      if (HasFailure()) return;
    }
    held->held.clear();
  }
}

}  // namespace
}  // namespace detent
