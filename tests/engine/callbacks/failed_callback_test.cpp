// SPDX-License-Identifier: MIT
// A callback that throws is reported with its timer: to on_error, and in the line on stderr. One that is slow as well
// is reported to on_slow with the same.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::eventually;

std::string said_by(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  }
}

class failure_log {
 public:
  engine_options options(bool origins = true) {
    engine_options made;
    made.on_error = [this](const failed_callback& one) {
      std::lock_guard lock(mutex_);
      reported_.push_back(one);
    };
    made.slow_threshold = 1us;
    made.on_slow = [this](const slow_callback& one) {
      std::lock_guard lock(mutex_);
      slow_ = one;
    };
    made.capture_origin = origins;
    return made;
  }
  std::vector<failed_callback> all() const {
    std::lock_guard lock(mutex_);
    return reported_;
  }
  failed_callback only() const {
    EXPECT_EQ(all().size(), 1u);
    return all().empty() ? failed_callback{} : all().front();
  }
  // Checks that the only failure was reported as slow, too.
  void expect_slow(duration took) const {
    std::lock_guard lock(mutex_);
    ASSERT_EQ(reported_.size(), 1u);
    const failed_callback& failed = reported_.front();
    EXPECT_EQ(slow_.label, failed.label);
    EXPECT_EQ(slow_.tag, failed.tag);
    EXPECT_EQ(slow_.deadline, failed.deadline);
    EXPECT_STREQ(slow_.file, failed.file);
    EXPECT_EQ(slow_.line, failed.line);
    EXPECT_EQ(slow_.took, took);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<failed_callback> reported_;
  slow_callback slow_;
};

// Fails, and takes a while.
auto fail_late(drive::virtual_engine& rig, const char* what) {
  return [&rig, what] {
    rig.clock.advance(1us);
    throw std::runtime_error(what);
  };
}

TEST(EngineFailedCallback, HasLabelTagDeadlineOriginAndException) {
  failure_log failures;
  drive::virtual_engine rig(failures.options());
  const label mine = rig.engine.make_label("mine");
  rig.engine.make_label("other");
  rig.engine.schedule_at(at(10), fail_late(rig, "no route"), {.label = mine, .tag = 17});
  const std::uint32_t line = __LINE__ - 1;
  rig.poll_at(at(50));
  failures.expect_slow(1us);
  const failed_callback reported = failures.only();
  EXPECT_EQ(reported.label, mine);
  EXPECT_EQ(reported.tag, 17u);
  EXPECT_EQ(reported.deadline, at(10));
  EXPECT_STREQ(reported.file, __FILE__);
  EXPECT_EQ(reported.line, line);
  EXPECT_EQ(said_by(reported.error), "no route");
}

TEST(EngineFailedCallback, WithoutOptionsHasItsDeadlineAlone) {
  failure_log failures;
  drive::virtual_engine rig(failures.options(false));
  rig.engine.schedule_at(at(10), [] { throw std::runtime_error("plain"); });
  rig.poll_at(at(50));
  const failed_callback reported = failures.only();
  EXPECT_EQ(reported.label, label());
  EXPECT_EQ(reported.tag, 0u);
  EXPECT_EQ(reported.deadline, at(10));
  EXPECT_EQ(reported.file, nullptr);
  EXPECT_EQ(reported.line, 0u);
}

// It has a tag, and runs by a shorter way than others.
TEST(EngineFailedCallback, OfAFixedRateIsOfThePeriodThatItRanFor) {
  failure_log failures;
  drive::virtual_engine rig(failures.options(false));
  rig.engine.schedule_at_fixed_rate(10ns, 10ns, [] { throw std::runtime_error("each time"); }, {.tag = 4});
  for (int now : {10, 20}) rig.poll_at(at(now));
  ASSERT_EQ(failures.all().size(), 2u);
  EXPECT_EQ(failures.all()[0].deadline, at(10));
  EXPECT_EQ(failures.all()[1].deadline, at(20));
  EXPECT_EQ(failures.all()[1].tag, 4u);
}

TEST(EngineFailedCallback, OfAGroupThatWasPausedHasTheEnginesTime) {
  failure_log failures;
  drive::virtual_engine rig(failures.options());
  timer_group group(rig.engine);
  group.schedule_at(at(10), fail_late(rig, "late"), {.tag = 2});
  rig.poll_at(at(5));
  group.pause();
  rig.poll_at(at(100));
  group.resume();
  rig.engine.poll();
  rig.poll_at(at(110));
  EXPECT_EQ(failures.only().deadline, at(105));
  EXPECT_EQ(failures.only().tag, 2u);
  failures.expect_slow(1us);
}

TEST(EngineFailedCallback, OnAWorkerOrAPoolIsReportedAsInline) {
  for (const bool on_pool : {false, true}) {
    failure_log failures;
    engine_options options = failures.options();
    if (on_pool) options.executor = std::make_shared<thread_pool>(thread_pool_options{.threads = 2});
    engine e(std::move(options));
    const label mine = e.make_label("mine");
    e.schedule_after(0ns, [] { throw std::runtime_error("on a thread"); }, {.label = mine, .tag = 6});
    ASSERT_TRUE(eventually([&] { return !failures.all().empty(); }));
    EXPECT_EQ(failures.only().label, mine);
    EXPECT_EQ(failures.only().tag, 6u);
    EXPECT_STREQ(failures.only().file, __FILE__);
  }
}

// The effects of the callback on its own timer, and a timer that takes the place, change nothing.
TEST(EngineFailedCallback, ThatEndsItsTimerIsReportedAsItWas) {
  failure_log failures;
  drive::virtual_engine rig(failures.options());
  const label mine = rig.engine.make_label("mine"), other = rig.engine.make_label("other");
  auto work = [&](firing& f) {
    f.self().cancel();
    for (int i = 0; i < 100; ++i) rig.engine.schedule_at(at(1h), [] {}, {.label = other, .tag = 8}).cancel();
    fail_late(rig, "")();
  };
  rig.engine.schedule_at(at(10), work, {.label = mine, .tag = 7});
  rig.poll_at(at(10));
  EXPECT_EQ(failures.only().label, mine);
  EXPECT_EQ(failures.only().tag, 7u);
  failures.expect_slow(1us);
}

TEST(EngineFailedCallback, OfAnOnSlowThatThrowsIsTheSlowCallbacksTimer) {
  failure_log failures;
  engine_options options = failures.options();
  options.slow_threshold = 1ns;
  options.on_slow = [](const slow_callback&) { throw std::runtime_error("reported too much"); };
  drive::virtual_engine rig(std::move(options));
  rig.engine.schedule_at(at(10), [&] { rig.clock.advance(1us); }, {.tag = 9});
  rig.poll_at(at(10));
  EXPECT_EQ(failures.only().tag, 9u);
  EXPECT_EQ(failures.only().deadline, at(10));
  EXPECT_EQ(said_by(failures.only().error), "reported too much");
}

// Programs have such functions in variables, and an empty one is none.
TEST(EngineFailedCallback, GoesAsItsExceptionAloneToAFunctionThatTakesThat) {
  std::string said;
  std::function<void(std::exception_ptr)> reports = [&](std::exception_ptr thrown) { said = said_by(thrown); };
  drive::virtual_engine rig({.on_error = reports});
  rig.engine.schedule_at(at(10), [] { throw std::runtime_error("no route"); });
  rig.poll_at(at(10));
  EXPECT_EQ(said, "no route");
  EXPECT_FALSE(engine_options{.on_error = std::function<void(std::exception_ptr)>()}.on_error);
}

std::string line_of(drive::virtual_engine& rig) {
  ::testing::internal::CaptureStderr();
  rig.poll_at(at(10));
  return ::testing::internal::GetCapturedStderr();
}

TEST(EngineFailedCallbackLine, NamesTheTimerAsFarAsItIsKnown) {
  drive::virtual_engine known({.name = "game", .capture_origin = true}), plain({.name = "game"});
  const auto throws = [] { throw std::out_of_range("vector::_M_range_check"); };
  const label poison = known.engine.make_label("poison");
  const std::string began = "detent: engine \"game\": a callback threw: vector::_M_range_check";

  known.engine.schedule_at(at(10), throws, {.label = poison, .tag = 17});
  const std::string place = std::string(__FILE__) + ":" + std::to_string(__LINE__ - 1);
  EXPECT_EQ(line_of(known), began + " (label \"poison\", tag 17, scheduled at " + place + ")\n");
  plain.engine.schedule_at(at(10), throws, {.tag = 17});
  EXPECT_EQ(line_of(plain), began + " (tag 17)\n");
  plain.engine.schedule_at(at(10), throws);
  EXPECT_EQ(line_of(plain), began + "\n");
  plain.engine.schedule_at(at(10), [] { throw 7; });
  EXPECT_EQ(line_of(plain), "detent: engine \"game\": a callback threw\n");
}

TEST(EngineFailedCallbackLine, SaysWhichFunctionThrew) {
  drive::virtual_engine slow(
      {.slow_threshold = 1ns, .on_slow = [](const slow_callback&) { throw std::runtime_error("too much"); }});
  slow.engine.schedule_at(at(10), [&] { slow.clock.advance(1us); }, {.tag = 3});
  EXPECT_EQ(line_of(slow), "detent: engine \"detent\": engine_options::on_slow threw: too much (tag 3)\n");
  drive::virtual_engine failing({.on_error = [](const failed_callback&) { throw std::runtime_error("itself"); }});
  failing.engine.schedule_at(at(10), [] { throw 1; }, {.tag = 3});
  EXPECT_EQ(line_of(failing), "detent: engine \"detent\": engine_options::on_error threw: itself (tag 3)\n");
}

}  // namespace
}  // namespace detent
