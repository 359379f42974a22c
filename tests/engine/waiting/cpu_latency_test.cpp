// SPDX-License-Identifier: MIT
// The CPU latency limit at the kernel's own device, where this process may open that.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

#include "support/drive_eventually.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::eventually;

// Returns the limit of the whole machine in microseconds, or nothing if it cannot be asked for.
std::optional<std::int32_t> in_force() {
  const int device = open("/dev/cpu_dma_latency", O_RDWR | O_CLOEXEC);
  if (device < 0) return std::nullopt;
  std::int32_t us = 0;
  const bool whole = read(device, &us, sizeof us) == sizeof us;
  close(device);
  return whole ? std::optional(us) : std::nullopt;
}

// A number that nobody else asks for; others may hold less for a while.
constexpr auto limit = 7us;
bool is_held() { return in_force() == limit.count(); }

TEST(EngineCpuLatency, IsHeldWhileADeadlineIsNearAndByNoStoppedEngine) {
  if (!in_force()) GTEST_SKIP() << "this process may not open /dev/cpu_dma_latency";
  engine e({.cpu_latency_limit = limit});
  timer far = e.schedule_after(1h, [] {});
  EXPECT_TRUE(eventually([] { return !is_held(); }));
  timer near = e.schedule_at_fixed_rate(2ms, 2ms, [] {});
  EXPECT_TRUE(eventually(is_held));
  EXPECT_NE(near.cancel_and_wait(), cancel_result::gone);
  e.schedule_after(1us, [] {});  // the worker looks at what is next
  EXPECT_TRUE(eventually([] { return !is_held(); }));
  near = e.schedule_at_fixed_rate(2ms, 2ms, [] {});
  EXPECT_TRUE(eventually(is_held));
  e.stop();
  EXPECT_TRUE(eventually([] { return !is_held(); }));
  EXPECT_EQ(far.cancel(), cancel_result::gone);
}

}  // namespace
}  // namespace detent
