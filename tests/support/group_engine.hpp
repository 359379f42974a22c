// SPDX-License-Identifier: MIT
// An engine with groups on a manual clock. Times are in milliseconds.
#pragma once

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include "support/drive_virtual.hpp"

namespace detent::drive {

class groups_in_virtual_time : public in_virtual_time {
 protected:
  std::size_t poll_at_ms(int ms) { return rig_.poll_at(at(std::chrono::milliseconds(ms))); }
  // At rest, every timer has ended in exactly one way or is pending.
  static void expect_balance(const detent::engine& of) {
    const engine_metrics reported = of.metrics();
    EXPECT_EQ(reported.scheduled,
              reported.expired + reported.cancelled + reported.returned + reported.dropped + reported.pending);
  }
};

}  // namespace detent::drive
