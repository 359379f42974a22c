// SPDX-License-Identifier: MIT
#include "platform/light_pause.hpp"

#include <gtest/gtest.h>

#include <sys/prctl.h>

namespace detent::detail {
namespace {

TEST(LightPausePermission, IsNotTpauseWhereTheCounterIsForbidden) {
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0UL, 0UL, 0UL) != 0) GTEST_SKIP() << "nobody forbids the counter here";
  const pause_kind here = choose_pause_here();
  prctl(PR_SET_TSC, PR_TSC_ENABLE, 0UL, 0UL, 0UL);
  EXPECT_NE(here, pause_kind::tpause);
}

}  // namespace
}  // namespace detent::detail
