// SPDX-License-Identifier: MIT
// A group on a manual clock, on each wheel, with exact ticks and with coarse ones. Times are in milliseconds.
#pragma once

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "support/drive_virtual.hpp"

namespace detent::drive {

using wheel_and_tick = std::tuple<wheel_kind, duration>;

class on_each_engine : public ::testing::TestWithParam<wheel_and_tick> {
 protected:
  static engine_options options(engine_options wanted = {}) {
    std::tie(wanted.wheel, wanted.tick) = GetParam();
    return wanted;
  }
  std::size_t poll_at_ms(int ms) { return rig_.poll_at(at(std::chrono::milliseconds(ms))); }
  // At rest, every timer has ended in one way or is pending.
  static void expect_balance(const detent::engine& of) {
    const engine_metrics reported = of.metrics();
    EXPECT_EQ(reported.scheduled,
              reported.expired + reported.cancelled + reported.returned + reported.dropped + reported.pending);
  }

  virtual_engine rig_{options()};
  manual_clock& clock_ = rig_.clock;
  detent::engine& engine_ = rig_.engine;
  ids& fired_ = rig_.fired;
};

inline const auto each_engine = ::testing::Combine(::testing::Values(wheel_kind::hierarchical, wheel_kind::hashed),
                                                   ::testing::Values(duration(1), duration(1'000'000)));
inline std::string engine_name(const ::testing::TestParamInfo<wheel_and_tick>& info) {
  const auto [wheel, tick] = info.param;
  return std::string(wheel == wheel_kind::hashed ? "hashed" : "hierarchical") + "_" + std::to_string(tick.count());
}

}  // namespace detent::drive
