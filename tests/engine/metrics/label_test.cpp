// SPDX-License-Identifier: MIT
// A label counts apart what belongs to it. The walks compare each of its counts with the specification.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <thread>

#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

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

TEST_F(EngineLabelHeld, CancelledOnTheExecutorsSide) {
  timer handed = schedule(at(10), [] {});
  rig_.poll_at(at(10));
  expect({.scheduled = 1, .pending = 1});
  handed.cancel();
  held_->run_all();
  expect({.scheduled = 1, .cancelled = 1});
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

}  // namespace
}  // namespace detent
