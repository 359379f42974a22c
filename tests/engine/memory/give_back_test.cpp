// SPDX-License-Identifier: MIT
// Memory that a burst has left, by what the kernel says that the process has: the sanitizers keep memory of their own.
#include <detent/base/limit.hpp>
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <vector>

#include "support/drive_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;

std::size_t resident_bytes() {
  std::size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// By a worker that has nothing else to do. An old handle does not take a new timer in the same memory for its own.
TEST(EngineMemory, GivesBackWhatABurstHasLeft) {
  constexpr std::size_t burst = 1'000'000;
  // Small slabs and magazines take more beside the nodes, and that stays.
  constexpr std::size_t bytes_a_node = base::limits_are_tight ? 16 : 48;
  engine e({.memory = {.huge_pages = preference::off, .give_back_after = 10ms}});
  std::vector<timer> old, made;
  old.reserve(burst);
  made.reserve(burst);
  for (std::size_t i = 0; i != burst; ++i) old.push_back(e.schedule_after(1h, [] {}));
  const std::size_t peak = resident_bytes();
  for (std::size_t i = 0; i != burst; ++i) EXPECT_TRUE(old[i].restart_after(duration(i * 7919 % burst * 100)));
  EXPECT_TRUE(drive::eventually([&] { return e.pending() == 0; }));
  EXPECT_TRUE(drive::eventually([&] { return resident_bytes() + burst * bytes_a_node < peak; })) << resident_bytes();
  for (std::size_t i = 0; i != burst; ++i) made.push_back(e.schedule_after(1h, [] {}));
  for (timer& each : old) {
    EXPECT_FALSE(each.pending());
    EXPECT_EQ(each.cancel(), cancel_result::gone);
    EXPECT_FALSE(each.restart_after(1s));
  }
  EXPECT_EQ(e.pending(), burst);
  for (timer& each : made) EXPECT_EQ(each.cancel(), cancel_result::cancelled);
}

}  // namespace
}  // namespace detent
