// SPDX-License-Identifier: MIT
// Lanes in virtual time: of what is due the higher ones first.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <string>

#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_captures.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::ids;
using testing::census;

constexpr std::uint8_t bulk = 0, critical = 3;

class EngineLanes : public drive::in_virtual_time {
 protected:
  timer schedule(int id, std::int64_t deadline, std::uint8_t lane) {
    return engine_.schedule_at(at(deadline), rig_.note(id), {.lane = lane});
  }
};

TEST_F(EngineLanes, AreExactInsideEach) {
  schedule(1, 20, bulk), schedule(31, 30, critical);
  timer moved = schedule(33, 5, critical);
  schedule(32, 30, critical), schedule(2, 10, bulk), schedule(21, 40, 2);
  EXPECT_TRUE(moved.restart_at(at(30)));
  EXPECT_EQ(rig_.poll_at(at(100)), 6u);
  EXPECT_EQ(fired_, (ids{31, 32, 33, 21, 2, 1}));
}

TEST_F(EngineLanes, ThatDoNotExistAreRefusedAndLeaveNothingBehind) {
  census captures;
  auto refused = [&](const auto& options, auto&& call) {
    const drive::problem reported = drive::problem_of(call);
    const std::string named = options.lane < lane_count ? "slack = -1 ns: must not be negative"
                                                        : "lane = " + std::to_string(options.lane) + ": must be 0 to 3";
    EXPECT_EQ(reported.code, errc::invalid_option);
    EXPECT_EQ(reported.what, "engine \"detent\": " + named);
  };
  auto f = [token = captures.join()] {};
  for (timer_options wrong : {timer_options{.lane = 4}, timer_options{.lane = 255}, timer_options{.slack = -1ns}}) {
    refused(wrong, [&] { engine_.schedule_at(at(10), f, wrong); });
    refused(wrong, [&] { engine_.schedule_after(10ns, f, wrong); });
    EXPECT_FALSE(engine_.try_schedule_at(at(10), f, wrong));
    EXPECT_FALSE(engine_.try_schedule_after(10ns, f, wrong));
  }
  for (periodic_options wrong : {periodic_options{.lane = 4}, periodic_options{.slack = -1ns}}) {
    refused(wrong, [&] { engine_.schedule_at_fixed_rate(1ns, 1ns, f, wrong); });
    refused(wrong, [&] { engine_.schedule_with_fixed_delay(1ns, 1ns, f, wrong); });
    EXPECT_FALSE(engine_.try_schedule_at_fixed_rate(1ns, 1ns, f, wrong));
  }
  EXPECT_EQ(captures.living(), 1);  // f itself
  EXPECT_EQ(engine_.pending(), 0u);
  EXPECT_EQ(engine_.metrics().scheduled, 0u);
}

}  // namespace
}  // namespace detent
