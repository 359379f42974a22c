// SPDX-License-Identifier: MIT
#include <detent/time.hpp>

#include <gtest/gtest.h>

namespace detent::detail {
namespace {

TEST(AddSaturated, HoldsAtTheEndsAndIsExactBetween) {
  EXPECT_EQ(add_saturated(2, 3), 5);
  EXPECT_EQ(add_saturated(2, -3), -1);
  EXPECT_EQ(add_saturated(forever, 1), forever);
  EXPECT_EQ(add_saturated(1, forever), forever);
  EXPECT_EQ(add_saturated(forever - 1, 1), forever);
  EXPECT_EQ(add_saturated(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(add_saturated(-1, INT64_MIN), INT64_MIN);
  EXPECT_EQ(add_saturated(INT64_MIN, forever), -1);
}

TEST(SubtractSaturated, HoldsAtTheEndsAndIsExactBetween) {
  EXPECT_EQ(subtract_saturated(2, 3), -1);
  EXPECT_EQ(subtract_saturated(2, -3), 5);
  EXPECT_EQ(subtract_saturated(forever, -1), forever);
  EXPECT_EQ(subtract_saturated(0, INT64_MIN), forever);
  EXPECT_EQ(subtract_saturated(-1, INT64_MIN), forever);
  EXPECT_EQ(subtract_saturated(INT64_MIN, 1), INT64_MIN);
  EXPECT_EQ(subtract_saturated(-2, forever), INT64_MIN);
}

using namespace std::chrono_literals;

// A count of a program's own, and what converts to a duration or a time by itself.
struct count {
  long value = 0;
  constexpr operator long() const { return value; }
};
struct half_a_second {
  operator duration() const { return 500ms; }
};
struct tomorrow {
  operator time_point() const { return time_point(24h); }
};

TEST(WholeDuration, TakesWhateverConvertsToNanoseconds) {
  EXPECT_EQ(whole_duration(2h).count(), 7'200'000'000'000);
  EXPECT_EQ(whole_duration(duration::max()).count(), forever);
  EXPECT_EQ(whole_duration(std::chrono::duration<short, std::ratio<1, 1000>>(-7)).count(), -7'000'000);
  EXPECT_EQ(whole_duration(std::chrono::duration<count, std::milli>(count{5})).count(), 5'000'000);
  EXPECT_EQ(whole_duration(half_a_second()).count(), 500'000'000);
  EXPECT_EQ(whole_duration({}).count(), 0);
  constexpr duration constant = whole_duration(1us);
  EXPECT_EQ(constant, 1000ns);
}

TEST(WholeDuration, HoldsAtTheEndsWhatIsTooLongForNanoseconds) {
  using std::chrono::hours;
  constexpr hours longest = std::chrono::floor<hours>(duration::max());
  EXPECT_EQ(whole_duration(hours::max()).count(), forever);
  EXPECT_EQ(whole_duration(hours::min()).count(), INT64_MIN);
  EXPECT_EQ(whole_duration(longest).count(), duration(longest).count());
  EXPECT_EQ(whole_duration(longest + 1h).count(), forever);
  EXPECT_EQ(whole_duration(-longest).count(), -duration(longest).count());
  EXPECT_EQ(whole_duration(-longest - 1h).count(), INT64_MIN);
  EXPECT_EQ(whole_duration(std::chrono::microseconds::max()).count(), forever);
  EXPECT_EQ(whole_duration(std::chrono::microseconds::min()).count(), INT64_MIN);
  EXPECT_EQ(whole_duration(std::chrono::duration<int, std::ratio<86400>>::max()).count(), forever);
  EXPECT_EQ(whole_duration(std::chrono::duration<int, std::ratio<86400>>::min()).count(), INT64_MIN);
  EXPECT_EQ(whole_duration(std::chrono::duration<unsigned long long, std::nano>::max()).count(), forever);
  EXPECT_EQ(whole_duration(std::chrono::duration<unsigned char>::max()).count(), 255'000'000'000);
}

TEST(ClockTime, HoldsAtTheEndsWhatIsTooFarAway) {
  using in_hours = std::chrono::time_point<clock, std::chrono::hours>;
  EXPECT_EQ(time_point(clock_time(in_hours::max())), time_point::max());
  EXPECT_EQ(time_point(clock_time(in_hours::min())), time_point::min());
  EXPECT_EQ(time_point(clock_time(in_hours(-3h))), time_point(-3h));
}

TEST(ClockTime, TakesWhateverConvertsToATimeOfTheClock) {
  const auto in_seconds = std::chrono::time_point<clock, std::chrono::seconds>(3s);
  EXPECT_EQ(time_point(clock_time(in_seconds)), time_point(3s));
  EXPECT_EQ(time_point(clock_time(tomorrow())), time_point(24h));
  EXPECT_EQ(time_point(clock_time({})), time_point());
}

}  // namespace
}  // namespace detent::detail
