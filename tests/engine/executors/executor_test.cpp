// SPDX-License-Identifier: MIT
// Callbacks on an executor: what is handed over, when, and where it runs.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

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

class EngineExecutor : public ::testing::Test {
 protected:
  std::shared_ptr<holding_executor> holds_ = std::make_shared<holding_executor>();
  drive::virtual_engine rig_{{.executor = holds_}};
  engine& engine_ = rig_.engine;
  ids& fired_ = rig_.fired;
};

TEST_F(EngineExecutor, GetsEachTimerOnceInDeadlineOrder) {
  for (int id : {3, 1, 4, 0, 2}) engine_.schedule_at(at(10 + id), rig_.note(id));
  rig_.poll_at(at(20));
  EXPECT_EQ(holds_->held.size(), 5u);
  engine_.poll();
  EXPECT_EQ(holds_->run_all(), 5u);
  EXPECT_EQ(fired_, (ids{0, 1, 2, 3, 4}));
}

TEST_F(EngineExecutor, BelongsToTheUserAndServesOnAfterAnEnginesEnd) {
  {
    drive::virtual_engine first({.executor = holds_});
    first.engine.stop();
  }
  engine_.schedule_at(at(10), rig_.note(1));
  rig_.poll_at(at(10));
  holds_->run_all();
  EXPECT_EQ(fired_, ids{1});
}

// Passes everything on, and counts it.
struct counting_executor final : executor {
  thread_pool pool;
  std::atomic<int> taken{0};
  bool execute(fired_timer&& work) noexcept override {
    const bool took = pool.execute(std::move(work));
    taken += took ? 1 : 0;
    return took;
  }
};

TEST(EngineExecutorPool, LetsTheWorkerGoOnDuringASlowCallback) {
  auto counts = std::make_shared<counting_executor>();
  std::atomic<bool> release{false};
  engine e({.executor = counts});
  e.schedule_after(0ns, [&] { eventually([&] { return release.load(); }); });
  for (int i = 0; i < 100; ++i) e.schedule_after(1ms, [] {});
  EXPECT_TRUE(eventually([&] { return counts->taken == 101; }));
  EXPECT_GE(e.pending(), 100u);
  release = true;
  EXPECT_TRUE(eventually([&] { return e.pending() == 0; }));
}

// The depth counts work that the executor has and has not begun, and not work that runs or is over in any way.
TEST_F(EngineExecutor, IsReportedByItsDepth) {
  const auto depth = [&] { return rig_.engine.metrics().queued; };
  timer first = rig_.engine.schedule_at(at(1), [&] { EXPECT_EQ(depth(), 4u); });
  timer cancelled = rig_.engine.schedule_at(at(1), [] {});
  timer restarted = rig_.engine.schedule_at(at(1), [] {});
  rig_.engine.schedule_at(at(1), [] {}, {.max_lateness = 5ns});
  rig_.engine.schedule_at(at(1), [] {});
  EXPECT_EQ(depth(), 0u);
  rig_.poll_all_at(at(1));
  EXPECT_EQ(depth(), 5u);
  holds_->run_first();
  EXPECT_EQ(first.pending(), false);
  cancelled.cancel();
  restarted.restart_at(at(100));
  EXPECT_EQ(depth(), 4u);  // they wait there all the same
  holds_->run_first();
  holds_->run_first();
  EXPECT_EQ(depth(), 2u);
  rig_.clock.advance_to(at(10));
  holds_->run_first();
  EXPECT_EQ(rig_.engine.metrics().dropped, 1u);  // as it is stale
  EXPECT_EQ(depth(), 1u);
  holds_->held.clear();
  EXPECT_EQ(depth(), 0u);
  holds_->refuse = true;
  EXPECT_EQ(rig_.poll_at(at(100)), 1u);  // refused, and run inline
  EXPECT_EQ(depth(), 0u);
}

TEST(EngineExecutorPool, GoesOnAfterACallbackThatThrows) {
  std::atomic<int> reported{0}, ran{0};
  std::atomic<bool> on_a_pool_thread{true};
  const std::thread::id me = std::this_thread::get_id();
  engine e({.executor = std::make_shared<thread_pool>(),
            .on_error = [&](std::exception_ptr) { on_a_pool_thread = std::this_thread::get_id() != me, ++reported; }});
  for (int i = 0; i < 10; ++i) {
    e.schedule_after(0ns, [] { throw 1; });
    e.schedule_after(0ns, [&] { ++ran; });
  }
  EXPECT_TRUE(eventually([&] { return reported == 10 && ran == 10; }));
  EXPECT_TRUE(on_a_pool_thread);
  EXPECT_EQ(e.metrics().failed, 10u);
}

}  // namespace
}  // namespace detent
