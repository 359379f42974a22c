// SPDX-License-Identifier: MIT
// The arguments of a callback, the calls that it may make, and its exceptions.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::eventually;

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

TEST(EngineCallbackThatThrows, IsTheLastErrorOfTheMetricsWhoeverGetsIt) {
  for (const bool by_default : {true, false}) {
    drive::virtual_engine rig(
        {.on_error = by_default ? std::function<void(std::exception_ptr)>() : [](std::exception_ptr) {}});
    EXPECT_EQ(rig.engine.metrics().last_error.text, "");
    rig.engine.schedule_at(at(10), [] { throw std::runtime_error("no such route"); });
    rig.engine.schedule_at(at(20), [] { throw 7; });
    ::testing::internal::CaptureStderr();
    const time_point before = clock::now();
    rig.poll_at(at(10));
    const error_report first = rig.engine.metrics().last_error;
    EXPECT_EQ(first.text, "no such route");
    EXPECT_GE(first.at, before);  // by the steady clock, whatever the engine's is
    EXPECT_LE(first.at, clock::now());
    rig.poll_at(at(20));
    EXPECT_EQ(rig.engine.metrics().last_error.text, "an exception that is not a std::exception");
    ::testing::internal::GetCapturedStderr();
  }
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
    EXPECT_EQ(rig.engine.metrics().last_error.text,
              standard ? "on_error itself" : "an exception that is not a std::exception");
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
