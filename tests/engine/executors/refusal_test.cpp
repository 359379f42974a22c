// SPDX-License-Identifier: MIT
// Executors that refuse, and executors that run the work at once.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::eventually;
using testing::holding_executor;
using testing::moody_executor;

// An engine in virtual time on an executor that refuses from the start.
struct refused_engine {
  explicit refused_engine(refusal_policy policy) : rig({.executor = holds, .on_refusal = policy}) {
    holds->refuse = true;
  }
  std::shared_ptr<holding_executor> holds = std::make_shared<holding_executor>();
  drive::virtual_engine rig;
};

TEST(EngineExecutorRefusal, AsksForAPollWithinAMillisecond) {
  refused_engine r(refusal_policy::retry);
  r.rig.engine.schedule_at(at(10), r.rig.note(1));
  r.rig.poll_at(at(10));
  const auto next = r.rig.engine.next_deadline();
  ASSERT_TRUE(next);
  EXPECT_GT(*next, at(10));  // at once would be to ask without a pause
  EXPECT_LE(*next, at(10) + 1ms);
}

TEST(EngineExecutorRefusal, IsRetriedByAWorkerThatHasNothingElseToDo) {
  auto moody = std::make_shared<moody_executor>();
  moody->refuse = true;
  engine e({.executor = moody, .on_refusal = refusal_policy::retry});
  std::atomic<bool> fired{false};
  e.schedule_after(0ns, [&] { fired = true; });
  EXPECT_TRUE(eventually([&] { return moody->asked >= 3; }));
  EXPECT_FALSE(fired);
  moody->refuse = false;
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
}

TEST(EngineExecutorInline, FindsItselfInsideACallback) {
  drive::virtual_engine rig({.executor = std::make_shared<moody_executor>()});
  failure reported;
  cancel_result self{};
  rig.engine.schedule_at(at(10), [&](firing& f) {
    rig.engine.try_stop(reported);
    self = f.self().cancel_and_wait();
  });
  rig.poll_at(at(10));
  EXPECT_EQ(reported, errc::called_from_callback);
  EXPECT_EQ(self, cancel_result::running);
}

// Refuses, and from the second offer on only once the engine is being stopped.
struct refuses_into_the_stop final : executor {
  bool execute(fired_timer&&) noexcept override {
    if (++offers > 1) {
      while (!of.load()->stopped()) std::this_thread::yield();
    }
    return false;
  }
  std::atomic<engine*> of{nullptr};
  std::atomic<int> offers{0};
};

TEST(EngineExecutorRefusal, OfWorkOfferedAgainWhileItStopsLeavesItToTheStop) {
  auto refuses = std::make_shared<refuses_into_the_stop>();
  engine e({.executor = refuses, .on_refusal = refusal_policy::retry});
  refuses->of = &e;
  e.schedule_after(0ns, [] {});
  ASSERT_TRUE(eventually([&] { return refuses->offers > 1; }));
  EXPECT_EQ(e.stop().size(), 1U);
  EXPECT_EQ(e.metrics().dropped, 0U);
}

// The driving thread destroys dropped timers inside a call of the engine.
TEST(EngineExecutorRefusal, LetsNothingThatItDropsStopTheEngine) {
  auto refuses = std::make_shared<testing::holding_executor>();
  refuses->refuse = true;
  drive::virtual_engine rig({.executor = refuses, .on_refusal = refusal_policy::drop});
  failure problem;
  rig.engine.schedule_at(drive::at(10), testing::at_end([&] { rig.engine.try_stop(problem); }));
  rig.poll_at(drive::at(10));
  EXPECT_EQ(problem, errc::called_from_callback);
  EXPECT_FALSE(rig.engine.stopped());
}

}  // namespace
}  // namespace detent
