// SPDX-License-Identifier: MIT
// An engine may be destroyed by its own callbacks, wherever they run.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"
#include "support/platform/asleep.hpp"
#include "support/platform/process.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

// An engine, and callbacks that take it away, perhaps while the call that scheduled them has not returned.
struct doomed {
  explicit doomed(engine_options options = {}, std::size_t pool_threads = 0) {
    if (pool_threads != 0) {
      options.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = pool_threads});
    }
    owned = std::make_unique<engine>(std::move(options));
  }

  void destroy() {
    owned.reset();
    gone = true;
  }
  bool wait() {
    return eventually([&] { return gone.load() && drive::threads() <= threads_before; });
  }

  // Returns whether each of `count` callables was destroyed once.
  bool destroyed(int count) {
    return eventually([&] { return captures.living() == 0 && captures.ended() == count; });
  }

  const std::size_t threads_before = drive::threads();
  std::atomic<bool> gone{false};
  testing::census captures;
  std::unique_ptr<engine> owned;
};

TEST(EngineDestroyInside, AOneShotOnTheWorker) {
  doomed d;
  d.owned->schedule_after(0ns, [&, w = d.captures.join()] { d.destroy(); });
  EXPECT_TRUE(d.wait());
  EXPECT_TRUE(d.destroyed(1));
}

TEST(EngineDestroyInside, AReArmedTimerRunsNoMore) {
  doomed d;
  std::atomic<int> runs{0};
  d.owned->schedule_after(0ns, [&, w = d.captures.join()](firing& f) {
    f.rearm_after(0ns);
    ++runs;
    d.destroy();
    f.rearm_after(0ns);
  });
  EXPECT_TRUE(d.wait());
  EXPECT_TRUE(d.destroyed(1));
  EXPECT_EQ(runs.load(), 1);
}

TEST(EngineDestroyInside, DestroysWhatWasPendingOnceAndUnrun) {
  doomed d;
  std::atomic<int> runs{0};
  for (int i = 0; i < 100; ++i) d.owned->schedule_after(1h, [&, w = d.captures.join()] { ++runs; });
  d.owned->schedule_after(0ns, [&] { d.destroy(); });
  EXPECT_TRUE(d.wait());
  EXPECT_TRUE(d.destroyed(100));
  EXPECT_EQ(runs.load(), 0);
}

TEST(EngineDestroyInside, NothingDueBesideItRunsAfterwards) {
  doomed d;
  std::atomic<int> late{0};
  std::atomic<bool> go{false};
  const time_point due = clock::now();
  d.owned->schedule_at(due - 1ms, [&] {
    while (!go) std::this_thread::yield();
  });
  d.owned->schedule_at(due, [&] { d.destroy(); });
  for (int i = 0; i < 10; ++i) d.owned->schedule_at(due, [&] { late += d.gone ? 1 : 0; });
  go = true;
  EXPECT_TRUE(d.wait());
  EXPECT_EQ(late.load(), 0);
}

TEST(EngineDestroyInside, APeriodicTimerOnAPoolThread) {
  doomed d({}, 2);
  std::atomic<int> runs{0};
  for (int i = 0; i < 100; ++i) d.owned->schedule_after(1h, [w = d.captures.join()] {});
  d.owned->schedule_at_fixed_rate(0ns, 1us, [&, w = d.captures.join()] {
    if (++runs == 3) d.destroy();
  });
  EXPECT_TRUE(d.wait());
  EXPECT_TRUE(d.destroyed(101));
}

TEST(EngineDestroyInside, WaitsForACallbackOnAnotherPoolThread) {
  doomed d({}, 2);
  std::atomic<bool> started{false}, ended{false}, ended_before{false};
  drive::sleeper destroys;
  d.owned->schedule_after(0ns, [&] {
    started = true;
    EXPECT_TRUE(destroys.sleeps());
    ended = true;
  });
  d.owned->schedule_after(0ns, [&] {
    while (!started) std::this_thread::yield();
    destroys.lies_down();
    d.destroy();
    ended_before = ended.load();
  });
  EXPECT_TRUE(d.wait());
  EXPECT_TRUE(eventually([&] { return ended_before.load(); }));
}

TEST(EngineDestroyInside, InsidePoll) {
  manual_clock clk;
  const auto held = std::make_shared<int>(0);
  doomed d({.manual = &clk, .on_error = [held](const std::exception_ptr&) {}});
  int after = 0;
  for (int i = 0; i < 100; ++i) d.owned->schedule_after(1h, [w = d.captures.join()] {});
  d.owned->schedule_after(0ns, [&, w = d.captures.join()] { d.destroy(); });
  d.owned->schedule_after(0ns, [&, w = d.captures.join()] { ++after; });
  EXPECT_EQ(d.owned->poll(), 1u);
  EXPECT_EQ(after, 0);
  EXPECT_EQ(d.captures.ended(), 102);
  EXPECT_EQ(held.use_count(), 1) << "nothing is left of the engine";
}

TEST(EngineDestroyInside, InsidePollOnTheSteadyClockWithAnOpenWakeFd) {
  doomed d({.drive = drive_kind::caller});
  const std::size_t before = drive::descriptors();
  d.owned->wake_fd();
  d.owned->schedule_after(0ns, [&] { d.destroy(); });
  while (d.owned->poll() == 0) std::this_thread::yield();
  EXPECT_EQ(drive::descriptors(), before);
}

TEST(EngineDestroyInside, ByACaptureThatTheCallbackLetsGo) {
  doomed d;
  auto last = std::shared_ptr<engine>(std::move(d.owned));
  std::weak_ptr<engine> there = last;
  std::atomic<bool> go{false};
  last->schedule_after(1h, [w = d.captures.join()] {});
  last->schedule_after(0ns, [&go, w = d.captures.join(), held = last] {
    while (!go) std::this_thread::yield();
  });
  last.reset();  // from here on the callable alone holds it, and is destroyed on the worker after its run
  go = true;
  EXPECT_TRUE(eventually([&] { return there.expired(); }) && d.destroyed(2));
  EXPECT_TRUE(eventually([&] { return drive::threads() <= d.threads_before; }));
}

TEST(EngineDestroyInside, ByACaptureThatCancelDestroys) {
  auto last = std::make_shared<engine>();
  std::weak_ptr<engine> there = last;
  timer t = last->schedule_after(1h, [held = last] { static_cast<void>(held); });
  engine& still = *last;
  last.reset();
  EXPECT_FALSE(there.expired());
  EXPECT_EQ(still.pending(), 1u);
  std::vector<unfired_timer> left = still.stop();
  EXPECT_EQ(t.cancel(), cancel_result::gone);
  EXPECT_FALSE(there.expired());
  left.clear();  // the last reference goes with the callable
  EXPECT_TRUE(there.expired());
}

TEST(EngineDestroyInside, ByACaptureThatCancelAndWaitDestroys) {
  auto last = std::make_shared<engine>();
  engine& owned = *last;
  timer t = owned.schedule_after(1h, [held = std::move(last)] { static_cast<void>(held); });
  EXPECT_EQ(t.cancel_and_wait(), cancel_result::cancelled);  // and asan sees that it reads nothing of the engine then
}

TEST(EngineDestroyInside, MovedAwayInsideItsOwnCallback) {
  doomed d;
  std::atomic<int> later{0};
  d.owned->schedule_after(0ns, [&] {
    engine taken(std::move(*d.owned));
    taken.schedule_after(1h, [&] { ++later; });
    d.gone = true;
  });
  EXPECT_TRUE(d.wait());
  EXPECT_EQ(later.load(), 0);
}

TEST(EngineDestroyInside, LeavesHandedOverWorkThatDoesNothing) {
  struct keeper final : executor {
    std::vector<fired_timer> kept;
    bool execute(fired_timer&& work) noexcept override {
      kept.push_back(std::move(work));
      return true;
    }
  };
  auto keeps = std::make_shared<keeper>();
  testing::census captures;
  std::atomic<int> runs{0};
  {
    drive::virtual_engine rig({.executor = keeps});
    for (int i = 0; i < 3; ++i) rig.engine.schedule_after(0ns, [&, w = captures.join()] { ++runs; });
    rig.engine.poll();
    ASSERT_EQ(keeps->kept.size(), 3u);
  }
  EXPECT_EQ(captures.ended(), 3);
  keeps->kept[0]();
  keeps->kept.clear();
  EXPECT_EQ(captures.ended(), 3);
  EXPECT_EQ(runs.load(), 0);
}

// Keeps the first timer of a batch and runs the second; then it has no more room.
struct keeps_one_and_runs_one final : executor {
  bool execute(fired_timer&& work) noexcept override {
    switch (offered++) {
      case 0: kept.push_back(std::move(work)); return true;
      case 1: {
        fired_timer taken = std::move(work);
        taken();
        return true;
      }
      default: return false;
    }
  }
  int offered = 0;
  std::vector<fired_timer> kept;
};

// Timers that were kept or would be offered again hold on to the engine's internals and to the executor.
TEST(EngineDestroyInside, ByOneOfABatchOfWhichTheRestIsKeptAndRefused) {
  const auto held = std::make_shared<int>(0);
  doomed d({.executor = std::make_shared<keeps_one_and_runs_one>(),
            .on_refusal = refusal_policy::retry,
            .on_error = [held](const std::exception_ptr&) {}});
  const time_point due = clock::now() + 1s;  // all are scheduled by then
  for (int i = 0; i < 3; ++i) d.owned->schedule_at(due, [&d, w = d.captures.join()] { d.destroy(); });
  EXPECT_TRUE(d.wait());
  EXPECT_TRUE(d.destroyed(3) && eventually([&] { return held.use_count() == 1; }));
}

TEST(EngineDestroyInside, ByWorkThatIsOfferedAgain) {
  manual_clock clock;
  const auto moody = std::make_shared<testing::moody_executor>();
  moody->refuse = true;
  testing::census captures;
  int runs = 0;
  auto owned = std::make_unique<engine>(engine_options{
      .drive = drive_kind::caller, .manual = &clock, .executor = moody, .on_refusal = refusal_policy::retry});
  for (int i = 0; i < 3; ++i) {
    owned->schedule_after(0ns, [&, w = captures.join()] {
      ++runs;
      owned.reset();
    });
  }
  engine& polled = *owned;
  polled.poll();
  moody->refuse = false;
  polled.poll();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(captures.ended(), 3);
  EXPECT_EQ(moody.use_count(), 1);
}

}  // namespace
}  // namespace detent
