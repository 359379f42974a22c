// SPDX-License-Identifier: MIT
#include "submission/doorbell.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/platform/asleep.hpp"

namespace detent::detail {
namespace {

using ring = doorbell::ring_result;

nanoseconds_t now() { return to_ns(clock::now()); }
constexpr nanoseconds_t too_long = 20'000'000'000;  // a wake-up that takes so long is lost

TEST(Doorbell, AsksForARingBeforeTheWakeTimeOnly) {
  doorbell bell;
  EXPECT_TRUE(bell.earlier_than_wake(forever - 1));  // nothing has been drained yet: all rings
  EXPECT_FALSE(bell.earlier_than_wake(forever));
  bell.raise(100);
  EXPECT_EQ(bell.wake_time(), 100);
  EXPECT_TRUE(bell.earlier_than_wake(99));
  EXPECT_FALSE(bell.earlier_than_wake(100));
  bell.lower(50);
  EXPECT_EQ(bell.wake_time(), 50);
  EXPECT_TRUE(bell.earlier_than_wake(49));
  EXPECT_FALSE(bell.earlier_than_wake(50));
}

TEST(Doorbell, DoesNotSleepWhenItHasRung) {
  doorbell bell;
  bell.clear();
  bell.ring();
  EXPECT_FALSE(bell.sleep(forever));
  EXPECT_TRUE(bell.has_rung());
}

TEST(Doorbell, SleepsNoLongerThanToItsDeadlineAndIsQuietAfterwards) {
  doorbell bell;
  nanoseconds_t deadline = now() + 1'000'000;
  while (now() < deadline) EXPECT_TRUE(bell.sleep(deadline));
  EXPECT_TRUE(bell.sleep(deadline)) << "as from quiet";
  EXPECT_FALSE(bell.has_rung());
  EXPECT_EQ(bell.ring(), ring::rang) << "as from quiet";
}

TEST(Doorbell, AsksOneRingerForASignalOfADriverOutside) {
  doorbell bell;
  bell.clear();
  ASSERT_TRUE(bell.go_outside());
  EXPECT_EQ(bell.ring(), ring::needs_signal);
  EXPECT_EQ(bell.ring(), ring::rang_already);
  EXPECT_FALSE(bell.go_outside()) << "it rang: the driver must drain first";
  bell.clear();
  EXPECT_TRUE(bell.go_outside());
}

// One end of a ping-pong: what a producer pushes, relaxed as the fences alone are to order it, and the driver's bell.
struct mailbox {
  doorbell bell;
  base::atomic<int> pushed{0};

  void push(int value) {
    pushed.store(value, base::relaxed);
    base::full_fence();
    if (bell.earlier_than_wake(0)) bell.ring();
  }
  // As the driver waits. False: nobody woke it.
  bool wait_for(int value) {
    nanoseconds_t limit = now() + too_long;
    while (pushed.load(base::relaxed) < value) {
      bell.raise(forever);
      bell.clear();
      if (pushed.load(base::relaxed) >= value) break;
      bell.sleep(limit);
      if (now() >= limit) return false;
    }
    bell.lower(INT64_MIN);  // awake: nobody has to ring
    return true;
  }
};

TEST(Doorbell, LosesNoWakeUpInAPingPong) {
  constexpr int rounds = 100'000;
  mailbox here, there;
  std::thread other([&] {
    for (int round = 1; round <= rounds; ++round) {
      if (!there.wait_for(round)) return;
      here.push(round);
    }
  });
  int answered = 0;
  for (int round = 1; round <= rounds; ++round) {
    there.push(round);
    if (!here.wait_for(round)) break;
    answered = round;
  }
  EXPECT_EQ(answered, rounds);
  other.join();
}

}  // namespace
}  // namespace detent::detail
