// SPDX-License-Identifier: MIT
// poll() and run_until() return how many callbacks ran in them, and count none that an executor keeps or drops.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::holding_executor;
using testing::moody_executor;

void schedule(drive::virtual_engine& on, int count) {
  for (int i = 0; i < count; ++i) on.engine.schedule_at(at(10 + i), on.note(i));
}

TEST(PollCount, OfWhatAnExecutorKeepsIsNone) {
  auto holds = std::make_shared<holding_executor>();
  drive::virtual_engine rig({.executor = holds});
  schedule(rig, 5);
  EXPECT_EQ(rig.clock.run_until(at(20), rig.engine), 0u);
  EXPECT_EQ(holds->run_all(), 5u);
  EXPECT_EQ(rig.engine.metrics().fired, 5u);
}

TEST(PollCount, OfWhatAnExecutorRunsAtOnceIsAll) {
  auto moody = std::make_shared<moody_executor>();
  drive::virtual_engine rig({.executor = moody, .on_refusal = refusal_policy::retry});
  schedule(rig, 5);
  EXPECT_EQ(rig.clock.run_until(at(12), rig.engine), 3u);
  moody->refuse = true;
  EXPECT_EQ(rig.poll_at(at(14)), 0u);
  moody->refuse = false;
  EXPECT_EQ(rig.engine.poll(), 2u);  // by a retry
  EXPECT_EQ(rig.fired, (ids{0, 1, 2, 3, 4}));
}

TEST(PollCount, EndsRightThoughTheEngineEndsInACallback) {
  manual_clock clock;
  std::optional<engine> e(engine({.manual = &clock, .executor = std::make_shared<moody_executor>()}));
  e->schedule_after(0ns, [] {});
  e->schedule_after(0ns, [&] { e.reset(); });
  EXPECT_EQ(e->poll(), 2u);
}

}  // namespace
}  // namespace detent
