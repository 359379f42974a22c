// SPDX-License-Identifier: MIT
#include "platform/light_pause.hpp"

#include <gtest/gtest.h>

#include <sys/prctl.h>

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

TEST(LightPause, IsNotTpauseWhereTheCounterIsForbidden) {
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0UL, 0UL, 0UL) != 0) GTEST_SKIP() << "nobody forbids the counter here";
  const pause_kind here = choose_pause_here();
  prctl(PR_SET_TSC, PR_TSC_ENABLE, 0UL, 0UL, 0UL);
  EXPECT_NE(here, pause_kind::tpause);
}

}  // namespace
}  // namespace detent::detail
