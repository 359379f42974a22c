// SPDX-License-Identifier: MIT
// list_pending() returns every pending timer once, in its state, with what there is to know of it.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "support/drive_virtual.hpp"
#include "support/random_source.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

std::optional<pending_timer> find(const engine& e, timer wanted) {
  for (const pending_timer& each : e.list_pending())
    if (each.handle == wanted) return each;
  return std::nullopt;
}

std::string state_of(const engine& e, timer wanted) {
  const std::optional<pending_timer> reported = find(e, wanted);
  return reported ? reported->state : "not listed";
}

TEST(EngineListPending, QueuedUntilTheDriverDrains) {
  drive::virtual_engine rig({.capture_origin = true});
  const label mine = rig.engine.make_label("mine");
  timer one = rig.engine.schedule_at(at(100), [] {}, {.label = mine});
  const std::uint32_t line = __LINE__ - 1;
  rig.clock.advance(7ns);
  const pending_timer reported = find(rig.engine, one).value();
  EXPECT_STREQ(reported.state, "queued");
  EXPECT_EQ(reported.deadline, at(100));
  EXPECT_EQ(reported.age, 7ns);
  EXPECT_EQ(reported.label, mine);
  EXPECT_STREQ(reported.file, __FILE__);
  EXPECT_EQ(reported.line, line);
  rig.engine.poll();
  EXPECT_EQ(state_of(rig.engine, one), "armed");
  rig.poll_at(at(100));
  EXPECT_EQ(state_of(rig.engine, one), "not listed");
}

}  // namespace
}  // namespace detent
