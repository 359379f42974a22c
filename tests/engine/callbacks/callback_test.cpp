// SPDX-License-Identifier: MIT
// What a callback is given, what it may do, and what becomes of what it throws.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::census;
using testing::eventually;

TEST(EngineCallback, IsCalledWithNothingIfItTakesNothing) {
  drive::virtual_engine rig;
  int calls = 0;
  rig.engine.schedule_at(at(10), [&] { ++calls; });
  rig.poll_at(at(10));
  EXPECT_EQ(calls, 1);
}

TEST(EngineCallback, IsCalledWithItsFiringIfItTakesOne) {
  drive::virtual_engine rig;
  timer self;
  time_point deadline;
  timer t = rig.engine.schedule_at(at(10), [&](firing& f) { self = f.self(), deadline = f.deadline(); });
  rig.poll_at(at(12));
  EXPECT_EQ(self, t);
  EXPECT_EQ(deadline, at(10));
}

TEST(EngineCallback, IsNeverCalledInsideTheScheduleCall) {
  drive::virtual_engine rig({}, at(100));
  for (duration delay : {0ns, -1ns, duration::min()}) rig.engine.schedule_after(delay, rig.note(1));
  rig.engine.schedule_at_fixed_rate(0ns, 1h, rig.note(1));
  EXPECT_EQ(rig.fired, ids{});
  EXPECT_EQ(rig.engine.poll(), 4u);
}

TEST(EngineCallback, KeepsItsStateFromRunToRun) {
  drive::virtual_engine rig;
  rig.engine.schedule_at_fixed_rate(10ns, 10ns, [&, run = 0]() mutable { rig.fired.push_back(++run); });
  for (int now = 10; now <= 30; now += 10) rig.poll_at(at(now));
  EXPECT_EQ(rig.fired, (ids{1, 2, 3}));
}

TEST(EngineCallback, MaySchedule) {
  drive::virtual_engine rig;
  rig.engine.schedule_at(at(10), [&] {
    for (int id = 0; id < 1000; ++id) rig.engine.schedule_at(at(20), rig.note(id));
  });
  rig.poll_at(at(10));
  EXPECT_EQ(rig.engine.pending(), 1000u);
  rig.poll_at(at(20));
  EXPECT_EQ(rig.fired.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(rig.fired.begin(), rig.fired.end()));
}

TEST(EngineCallback, IsToldThatItRunsWhenItCancelsItself) {
  drive::virtual_engine rig;
  cancel_result first{}, second{}, waiting{};
  rig.engine.schedule_at(at(10), [&](firing& f) {
    timer self = f.self();
    first = self.cancel(), second = self.cancel(), waiting = self.cancel_and_wait();
  });
  rig.poll_at(at(10));
  for (cancel_result each : {first, second, waiting}) EXPECT_EQ(each, cancel_result::running);
}

TEST(EngineCallback, DestroysTheCapturesOfANeighbourItCancels) {
  drive::virtual_engine rig;
  census neighbours;
  timer t;
  int living = -1;
  rig.engine.schedule_at(at(10), [&] {
    EXPECT_EQ(t.cancel(), cancel_result::cancelled);
    living = neighbours.living();
  });
  t = rig.engine.schedule_at(at(10), testing::bystander<0>{neighbours.join()});
  EXPECT_EQ(rig.poll_at(at(10)), 1u);
  EXPECT_EQ(living, 0);
}

TEST(EngineCallback, MayCancelANeighbourThatHasRunAlready) {
  drive::virtual_engine rig;
  timer first = rig.engine.schedule_at(at(10), rig.note(1));
  cancel_result reported{};
  rig.engine.schedule_at(at(10), [&] { reported = first.cancel(); });
  rig.poll_at(at(10));
  EXPECT_EQ(reported, cancel_result::gone);
  EXPECT_EQ(rig.fired, ids{1});
}

TEST(EngineCallback, MayLetGoOfWhatItCaptured) {
  drive::virtual_engine rig;
  auto captured = std::make_shared<int>();
  std::weak_ptr<int> alive = captured;
  bool gone_inside = false;
  rig.engine.schedule_at(at(10),
                         [&, held = std::move(captured)]() mutable { held.reset(), gone_inside = alive.expired(); });
  rig.poll_at(at(10));
  EXPECT_TRUE(gone_inside);
}

TEST(EngineCallback, LivesThroughItsRunAndEndsWithIt) {
  drive::virtual_engine rig;
  census captures;
  int inside = -1;
  rig.engine.schedule_at(at(10), [&, token = captures.join()] { inside = captures.living(); });
  rig.poll_at(at(10));
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(captures.living(), 0);
  EXPECT_EQ(captures.ended(), 1);
}

TEST(EngineCallback, LivesThroughItsRunThoughItCancelsItself) {
  drive::virtual_engine rig;
  census captures;
  int inside = -1;
  rig.engine.schedule_at(at(10), [&, token = captures.join()](firing& f) {
    f.self().cancel();
    inside = captures.living();
  });
  rig.poll_at(at(10));
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(captures.ended(), 1);
}

TEST(EngineCallback, IsNoLongerPendingWhenItRuns) {
  drive::virtual_engine rig;
  bool pending = true;
  std::size_t count = 99;
  rig.engine.schedule_at(at(10), [&](firing& f) { pending = f.self().pending(), count = rig.engine.pending(); });
  rig.engine.schedule_at(at(20), [] {});
  rig.poll_at(at(10));
  EXPECT_FALSE(pending);
  EXPECT_EQ(count, 1u);
}

TEST(EngineCallback, RunsAgainOnAWorkerAsOftenAsItReArms) {
  engine e;
  std::atomic<int> runs{0};
  timer t = e.schedule_after(0ns, [&](firing& f) {
    if (++runs < 100) f.rearm_after(0ns);
  });
  EXPECT_TRUE(eventually([&] { return !t.pending() && runs == 100; }));
}

TEST(EngineCallbackThatThrows, GivesItsExceptionToOnErrorOnItsOwnThread) {
  std::vector<std::string> reported;
  std::thread::id where;
  drive::virtual_engine rig({.on_error = [&](std::exception_ptr thrown) {
    where = std::this_thread::get_id();
    try {
      std::rethrow_exception(thrown);
    } catch (const std::runtime_error& failure) {
      reported.push_back(failure.what());
    }
  }});
  rig.engine.schedule_at(at(10), [] { throw std::runtime_error("one"); });
  rig.engine.schedule_at(at(10), [] { throw std::runtime_error("two"); });
  rig.poll_at(at(10));
  EXPECT_EQ(reported, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(EngineCallbackThatThrows, MayThrowWhatIsNoStandardException) {
  int got = 0;
  drive::virtual_engine rig({.on_error = [&](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (int number) {
      got = number;
    }
  }});
  rig.engine.schedule_at(at(10), [] { throw 42; });
  rig.poll_at(at(10));
  EXPECT_EQ(got, 42);
}

TEST(EngineCallbackThatThrows, HasFiredAndFailedAndIsDestroyedOnce) {
  drive::virtual_engine rig({.on_error = [](std::exception_ptr) {}});
  census captures;
  timer t = rig.engine.schedule_at(at(10), [token = captures.join()] { throw 1; });
  rig.engine.schedule_at(at(10), rig.note(2));
  EXPECT_EQ(rig.poll_at(at(10)), 2u);
  const engine_metrics m = rig.engine.metrics();
  EXPECT_EQ(m.failed, 1u);
  EXPECT_EQ(m.fired, 2u);
  EXPECT_EQ(m.expired, 2u);
  EXPECT_EQ(t.cancel(), cancel_result::gone);
  EXPECT_EQ(captures.ended(), 1);
  EXPECT_EQ(rig.fired, ids{2});
}

TEST(EngineCallbackThatThrows, IsALineOnStderrByDefault) {
  drive::virtual_engine rig({.name = "gateway"});
  rig.engine.schedule_at(at(10), [] { throw std::runtime_error("no such route"); });
  ::testing::internal::CaptureStderr();
  rig.poll_at(at(10));
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find("no such route"), std::string::npos) << line;
  EXPECT_NE(line.find("gateway"), std::string::npos) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  EXPECT_EQ(rig.engine.metrics().failed, 1u);
}

TEST(EngineCallbackThatThrows, IsSurvivedThoughOnErrorThrowsToo) {
  for (bool standard : {true, false}) {
    drive::virtual_engine rig({.on_error = [standard](std::exception_ptr) {
      if (standard) throw std::logic_error("on_error itself");
      throw 3;
    }});
    rig.engine.schedule_at(at(10), [] { throw 1; });
    rig.engine.schedule_at(at(10), rig.note(2));
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(rig.poll_at(at(10)), 2u);
    EXPECT_NE(::testing::internal::GetCapturedStderr(), "") << "nothing is swallowed";
    EXPECT_EQ(rig.engine.metrics().failed, 1u);
    EXPECT_EQ(rig.fired, ids{2});
  }
}

TEST(EngineCallbackThatThrows, LetsOnErrorUseTheEngine) {
  engine* running = nullptr;
  std::atomic<bool> fired{false};
  engine e({.drive = drive_kind::caller,
            .on_error = [&](std::exception_ptr) { running->schedule_after(0ns, [&] { fired = true; }); }});
  running = &e;
  e.schedule_after(0ns, [] { throw 1; });
  EXPECT_TRUE(eventually([&] { return e.poll(), fired.load(); }));
}

TEST(EngineCallbackThatThrows, LeavesTheWorkerRunning) {
  std::atomic<int> reported{0};
  engine e({.on_error = [&](std::exception_ptr) { ++reported; }});
  for (int i = 0; i < 100; ++i) e.schedule_after(duration(i), [] { throw 1; });
  EXPECT_TRUE(eventually([&] { return reported == 100; }));
  std::atomic<bool> fired{false};
  e.schedule_after(0ns, [&] { fired = true; });
  EXPECT_TRUE(eventually([&] { return fired.load(); }));
}

}  // namespace
}  // namespace detent
