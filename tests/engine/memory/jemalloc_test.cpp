// SPDX-License-Identifier: MIT
// In a program that contains jemalloc.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include "support/drive_virtual.hpp"

namespace detent {
namespace {

TEST(EngineMemoryJemalloc, KeepsTimersInAnArenaOfItsOwn) {
  for (int life = 0; life < 3; ++life) {
    drive::virtual_engine rig({.memory = {.source = memory_source::jemalloc}});
    for (int i = 0; i < 20'000; ++i) rig.engine.schedule_after(duration(i), [] {});
    EXPECT_EQ(rig.poll_at(drive::at(20'000)), 20'000u);
  }
}

}  // namespace
}  // namespace detent
