// SPDX-License-Identifier: MIT
// A run of a periodic timer that is dropped at its hand-over is missed, and the timer continues.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::eventually;
using testing::holding_executor;

class MissedRun : public ::testing::Test {
 protected:
  // Hands over what is due at that time and runs it, unless it is refused.
  void run_at(int ns) {
    rig_.poll_at(at(ns));
    holds_->run_all();
  }
  void refuse_at(int ns) {
    holds_->refuse = true;
    rig_.poll_at(at(ns));
    holds_->refuse = false;
  }
  // Logs the deadline of each run.
  auto note_deadline() {
    return [this](firing& run) { rig_.fired.push_back(static_cast<int>(run.deadline().time_since_epoch().count())); };
  }

  std::shared_ptr<holding_executor> holds_ = std::make_shared<holding_executor>();
  drive::virtual_engine rig_{{.executor = holds_, .on_refusal = refusal_policy::drop}};
  engine& engine_ = rig_.engine;
};

TEST_F(MissedRun, OfAFixedRateLeavesItsGridAsItWas) {
  const timer beat = engine_.schedule_at_fixed_rate(10ns, 10ns, note_deadline());
  run_at(10);
  refuse_at(20);
  EXPECT_TRUE(beat.pending());
  EXPECT_EQ(beat.deadline(), at(30));
  refuse_at(32);
  run_at(40);
  EXPECT_EQ(rig_.fired, (ids{10, 40}));
  const engine_metrics m = engine_.metrics();
  EXPECT_EQ(m.refused, 2u);
  EXPECT_EQ(m.missed, 2u);
  EXPECT_EQ(m.dropped, 0u);
  EXPECT_EQ(m.fired, 2u);
  EXPECT_EQ(m.pending, 1u);
  EXPECT_EQ(m.queued, 0u);
}

// A pool with room for one, and an overload that is over soon.
TEST(MissedRunOnAPool, DoesNotEndTheHeartbeat) {
  std::atomic<int> beats{0};
  std::atomic<bool> release{false};
  engine e({.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 1, .queue_capacity = 1}),
            .on_refusal = refusal_policy::drop});
  const timer beat = e.schedule_at_fixed_rate(0ns, 100us, [&] { ++beats; });
  ASSERT_TRUE(eventually([&] { return beats > 0; }));
  while (e.metrics().refused < 3) e.schedule_after(0ns, [&] { eventually([&] { return release.load(); }); });
  EXPECT_TRUE(eventually([&] { return e.metrics().missed > 3; }));
  release = true;
  const int before = beats;
  EXPECT_TRUE(eventually([&] { return beats > before + 3; }));
  EXPECT_TRUE(beat.pending());
}

}  // namespace
}  // namespace detent
