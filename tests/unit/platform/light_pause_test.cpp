// SPDX-License-Identifier: MIT
#include "platform/light_pause.hpp"

#include <gtest/gtest.h>

namespace detent::detail {
namespace {

constexpr std::uint32_t waitpkg = 1u << 5, mwaitx = 1u << 29;

TEST(LightPause, IsChosenByTheProcessorsOwnBitsAlone) {
  EXPECT_EQ(choose_pause({}), pause_kind::plain);
  EXPECT_EQ(choose_pause({.leaf_7_ecx = waitpkg, .leaf_80000001_ecx = 0}), pause_kind::tpause);
  EXPECT_EQ(choose_pause({.leaf_7_ecx = 0, .leaf_80000001_ecx = mwaitx}), pause_kind::mwaitx);
  EXPECT_EQ(choose_pause({.leaf_7_ecx = ~waitpkg, .leaf_80000001_ecx = ~mwaitx}), pause_kind::plain);
  EXPECT_EQ(choose_pause({.leaf_7_ecx = mwaitx, .leaf_80000001_ecx = waitpkg}), pause_kind::plain);
}

TEST(LightPause, OfThisProcessorReturnsByItself) {
  const pause_kind here = choose_pause_here();
  for (int i = 0; i < 1'000; ++i) pause_lightly(here);
  pause_lightly(pause_kind::plain);
}

}  // namespace
}  // namespace detent::detail
