// SPDX-License-Identifier: MIT
// The load client notices each way in which heartbeats can be wrong.
#include "client/heartbeat_check.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr auto interval = 1000ms;

// A heartbeat of a slot (in intervals), that was sent and arrived so much later.
load::heartbeat beat(int slot, std::chrono::nanoseconds late, std::uint64_t missed = 0) {
  const wire::time_point due = wire::time_point{} + 1h + slot * interval;
  return {due, due + late, missed, due + late + 1us};
}

std::uint64_t broken_by(const std::vector<load::heartbeat>& beats) {
  load::findings found;
  load::heartbeat_check check(found, interval);
  for (const load::heartbeat& each : beats) check.look_at(each, 1);
  return found.count();
}

TEST(GatewayHeartbeatCheck, AcceptsAGridWithGapsThatAreTold) {
  EXPECT_EQ(broken_by({beat(1, 0ns), beat(2, 50us), beat(3, 999ms), beat(6, 200ms, 2), beat(7, 1ns)}), 0u);
}

TEST(GatewayHeartbeatCheck, NoticesOneThatIsEarlyByANanosecond) { EXPECT_EQ(broken_by({beat(1, -1ns)}), 1u); }

TEST(GatewayHeartbeatCheck, NoticesOneThatArrivesBeforeItWasSent) {
  load::heartbeat impossible = beat(1, 10us);
  impossible.arrived = impossible.fired - 1ns;
  EXPECT_EQ(broken_by({impossible}), 1u);
}

TEST(GatewayHeartbeatCheck, NoticesAGapThatIsNotTold) { EXPECT_EQ(broken_by({beat(1, 0ns), beat(3, 0ns)}), 1u); }

TEST(GatewayHeartbeatCheck, NoticesASlotBesideTheGrid) {
  load::heartbeat moved = beat(2, 50us);
  moved.slot += 1ns;
  EXPECT_EQ(broken_by({beat(1, 0ns), moved}), 1u);
}

TEST(GatewayHeartbeatCheck, NoticesABurst) {
  // The first was sent when the second's slot was over: one of them would have done.
  EXPECT_EQ(broken_by({beat(1, 1500ms), beat(2, 501ms)}), 1u);
}

TEST(GatewayHeartbeatCheck, NoticesASlotThatComesTwice) { EXPECT_GE(broken_by({beat(1, 0ns), beat(1, 1us)}), 1u); }

}  // namespace
