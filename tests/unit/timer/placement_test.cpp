// SPDX-License-Identifier: MIT
#include "timer/placement.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace detent::detail {
namespace {

TEST(Placement, OfEachKindWrapsInsideItsRange) {
  constexpr auto of = [](std::uint32_t bits) { return std::bit_cast<placement>(bits); };
  constexpr std::uint32_t drains = 1u << 30, passes = 1u << 31;
  EXPECT_EQ(of(0).next_entry(), of(1));
  EXPECT_EQ(of(drains - 2).next_entry(), of(drains - 1));
  EXPECT_EQ(of(drains - 1).next_entry(), of(0));
  EXPECT_EQ(of(drains).next_late_drain(), of(drains + 1));
  EXPECT_EQ(of(passes - 2).next_late_drain(), of(passes - 1));
  EXPECT_EQ(of(passes - 1).next_late_drain(), of(drains));
  EXPECT_EQ(of(passes).next_pass(), of(passes + 1));
  EXPECT_EQ(of(~0u - 1).next_pass(), of(~0u));
  EXPECT_EQ(of(~0u).next_pass(), of(passes));
}

}  // namespace
}  // namespace detent::detail
