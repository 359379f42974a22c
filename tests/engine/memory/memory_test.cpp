// SPDX-License-Identifier: MIT
// The memory options: what cannot be had is named, what is asked for works.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::problem_of;

drive::problem create(engine_options options) {
  return problem_of([&] { engine e(std::move(options)); });
}

void expect_fires(engine_options options) {
  drive::virtual_engine rig(std::move(options));
  std::vector<timer> timers;
  for (int i = 0; i < 10'000; ++i) timers.push_back(rig.engine.schedule_after(duration(i), [] {}));
  for (std::size_t i = 0; i < timers.size(); i += 2) timers[i].cancel();
  EXPECT_EQ(rig.poll_at(drive::at(10'000)), 5'000u);
}

TEST(EngineMemory, NamesANumaNodeThatIsNotThere) {
  drive::problem refused = create({.memory = {.numa_node = 1000}});
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("memory.numa_node = 1000")) << refused.what;
}

TEST(EngineMemory, NamesJemallocWhereTheProgramHasNone) {
  drive::problem refused = create({.memory = {.source = memory_source::jemalloc}});
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("memory.source = jemalloc")) << refused.what;
}

TEST(EngineMemory, NamesAReserveThatNoMachineHas) {
  drive::problem refused = create({.drive = drive_kind::caller, .reserve = SIZE_MAX});
  EXPECT_EQ(refused.code, errc::invalid_option);
  EXPECT_TRUE(refused.names("reserve = " + std::to_string(SIZE_MAX))) << refused.what;
}

TEST(EngineMemory, WorksWithEveryWish) {
  for (preference each : {preference::off, preference::attempt}) {
    expect_fires({.memory = {.huge_pages = each, .prefault = each, .lock = each}});
  }
  expect_fires({.memory = {.prefault = preference::require}});
}

TEST(EngineMemory, GrowsBeyondTheReserve) {
  manual_clock clk;
  engine e({.manual = &clk, .reserve = 0});
  for (int i = 0; i < 50'000; ++i) e.schedule_after(1s, [] {});
  clk.advance(1s);
  EXPECT_EQ(e.poll(), 50'000u);
}

}  // namespace
}  // namespace detent
