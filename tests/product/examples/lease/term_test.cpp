// SPDX-License-Identifier: MIT
// A term of the lease example: what it permits is decided by the clock alone. No watchdog runs here, and no timer.
#include "term.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

using namespace std::chrono_literals;
using lease::boot_clock;

TEST(lease_term, permits_until_its_end_and_never_again) {
  const auto until = boot_clock::now() + 20ms;
  const lease::term term("token", 7, until);
  auto before = boot_clock::now();
  while (const std::optional<lease::permit> allowed = term.still_mine()) {
    EXPECT_EQ(allowed->fence, 7);
    EXPECT_EQ(allowed->until, until);
    EXPECT_GE(allowed->checked, before);
    ASSERT_LT(allowed->checked, until);
    before = allowed->checked;
  }
  EXPECT_GE(boot_clock::now(), until);
  EXPECT_FALSE(term.still_mine());
}

TEST(lease_term, that_came_too_late_permits_nothing) {
  EXPECT_FALSE(lease::term("token", 7, boot_clock::now()).still_mine());
  EXPECT_FALSE(lease::term("token", 7, boot_clock::now() - 1h).still_mine());
}
