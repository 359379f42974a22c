// SPDX-License-Identifier: MIT
// A ring for a deadline leaves behind for the driver the earliest of the deadlines, once, even if that is the end of
// time.
#include "submission/doorbell.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace detent::detail {
namespace {

TEST(DoorbellAnswer, IsNoneWithoutARingForADeadline) {
  doorbell bell;
  EXPECT_FALSE(bell.answer());
  bell.ring();
  EXPECT_FALSE(bell.answer()) << "a mere ring asks for no complete drain";
  EXPECT_FALSE(bell.has_rung()) << "and is answered all the same";
}

TEST(DoorbellAnswer, IsTheEarliestThatWasRungForAndOnlyOnce) {
  doorbell bell;
  bell.ring_for_earlier(70);
  bell.ring_for_earlier(30);
  bell.ring_for_earlier(50);
  EXPECT_EQ(bell.answer(), std::optional<nanoseconds_t>(30));
  EXPECT_FALSE(bell.answer());
  bell.ring_for_earlier(90);
  EXPECT_EQ(bell.answer(), std::optional<nanoseconds_t>(90)) << "what was answered before counts no more";
}

TEST(DoorbellAnswer, IsThereForTheEndOfTimeToo) {
  doorbell bell;
  bell.ring_for_earlier(forever);
  EXPECT_TRUE(bell.answer()) << "an entry that could not be pushed may have no deadline, and the driver must scan";
}

}  // namespace
}  // namespace detent::detail
