// SPDX-License-Identifier: MIT
// An engine takes every option at its limits, and names the one that is impossible.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::problem_of;
using change = std::function<void(engine_options&)>;

engine_options changed(const change& make) {
  engine_options options{.name = "gateway", .reserve = 64};
  make(options);
  return options;
}

struct impossible {
  const char* named;
  change make;
};

// One of each place that refuses; unit.options_check has all of them.
const std::vector<impossible>& impossible_options() {
  static const std::vector<impossible> all{
      {"tick = 0", [](engine_options& o) { o.tick = 0ns; }},
      {"reserve = 18446744073709551615", [](engine_options& o) { o.reserve = SIZE_MAX; }},
      {"cpu = 100000", [](engine_options& o) { o.cpu = 100'000; }},
      {"memory.numa_node = 100000", [](engine_options& o) { o.memory.numa_node = 100'000; }}};
  return all;
}

TEST(EngineOptions, ThrowNamingWhatIsImpossibleAndItsValue) {
  for (const impossible& each : impossible_options()) {
    drive::problem refused = problem_of([&] { engine e(changed(each.make)); });
    EXPECT_EQ(refused.code, errc::invalid_option) << each.named;
    EXPECT_TRUE(refused.names(each.named) && refused.names("gateway")) << refused.what;
    EXPECT_EQ(refused.what.find('\n'), std::string::npos) << refused.what;
  }
}

TEST(EngineOptions, AreRefusedWithACodeWhereNothingMayThrow) {
  for (const impossible& each : impossible_options()) {
    failure reported;
    EXPECT_FALSE(engine::try_create(changed(each.make), reported)) << each.named;
    EXPECT_EQ(reported, errc::invalid_option) << each.named;
  }
}

TEST(EngineOptions, MakeAnEngineWithoutThrowing) {
  manual_clock clk;
  failure reported(errc::forked);
  std::optional<engine> made = engine::try_create({.manual = &clk}, reported);
  ASSERT_TRUE(made);
  EXPECT_FALSE(reported);
  made->schedule_after(0ns, [] {});
  EXPECT_EQ(made->poll(), 1u);
}

TEST(EngineOptions, TakeEachWayToWait) {
  for (wait_options wait : {wait_options::busy(), wait_options::hybrid(0ns), wait_options::hybrid(duration::max()),
                            wait_options::sleep()}) {
    EXPECT_FALSE(problem_of([&] { engine e({.wait = wait, .reserve = 64}); }).code);
  }
}

TEST(EngineOptions, DriveByTheCallerUnderAManualClock) {
  manual_clock clk;
  engine e({.drive = drive_kind::worker, .manual = &clk});
  EXPECT_NO_THROW(e.poll());
}

TEST(EngineOptions, AreByDefaultExactUnlimitedAndOnAWorker) {
  const engine_options o;
  EXPECT_EQ(o.tick, 1ns);
  EXPECT_EQ(o.wheel, wheel_kind::hierarchical);
  EXPECT_EQ(o.drive, drive_kind::worker);
  EXPECT_EQ(o.clock, clock_kind::automatic);
  EXPECT_EQ(o.max_pending, 0u);
  EXPECT_EQ(o.executor, nullptr);
}

}  // namespace
}  // namespace detent
