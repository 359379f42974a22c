// SPDX-License-Identifier: MIT
// The worker holds the limit of engine_options::cpu_latency_limit. The kernel's device is a file here.
#include "driver/waiter.hpp"

#include "support/drive_eventually.hpp"
#include "support/latency_device.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace detent::detail {
namespace {

using test::latency_device;

constexpr nanoseconds_t millisecond = 1'000'000;
constexpr std::int32_t limit = 20, none = latency_device::no_limit;

class HeldLatency : public ::testing::Test {
 protected:
  HeldLatency() { EXPECT_EQ(waits_.limit_cpu_latency(std::chrono::microseconds(limit), device_.path().c_str()), 0); }

  // False where the bell has rung.
  bool wait(nanoseconds_t length) {
    const nanoseconds_t deadline = length == forever ? forever : time_.certain() + length;
    return waits_.sleep(deadline) && waits_.spin(deadline);
  }
  // Waits again and again until the limit is held after a wait: a thread that the kernel puts aside may find that a
  // wait, or the end of a long one, is over before it begins.
  bool hold(nanoseconds_t length) {
    for (int waits = 0; waits != 100; ++waits) {
      EXPECT_TRUE(wait(length));
      if (!device_.written().empty() && device_.written().back() == limit) return true;
    }
    return false;
  }
  // Begins a wait of that length, and ends it by a ring as soon as the device has been written to so often.
  void wait_until_written(nanoseconds_t length, std::size_t values) {
    bell_.clear();
    std::thread waiting([&] { EXPECT_FALSE(wait(length)); });
    EXPECT_TRUE(drive::eventually([&] { return device_.written().size() == values; }));
    bell_.ring();
    waiting.join();
    bell_.clear();
  }

  latency_device device_;
  clock_reader time_{nullptr, nullptr};
  doorbell bell_;
  waiter waits_{wait_options::hybrid(), 1, time_, bell_};
};

TEST_F(HeldLatency, IsNotYetHeldWhereNobodyHasWaited) { EXPECT_TRUE(device_.written().empty()); }

TEST_F(HeldLatency, IsHeldThroughoutSleepsThatEndSoonByOneWrite) {
  ASSERT_TRUE(hold(2 * millisecond));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(wait(2 * millisecond));
  EXPECT_EQ(device_.written(), std::vector<std::int32_t>{limit});
}

TEST_F(HeldLatency, IsLiftedForASleepThatEndsLate) {
  ASSERT_TRUE(hold(2 * millisecond));
  wait_until_written(3'600'000 * millisecond, 2);
  EXPECT_EQ(device_.written(), (std::vector<std::int32_t>{limit, none}));
}

TEST_F(HeldLatency, IsLiftedWhereThereIsNoDeadline) {
  ASSERT_TRUE(hold(2 * millisecond));
  wait_until_written(forever, 2);
  EXPECT_EQ(device_.written(), (std::vector<std::int32_t>{limit, none}));
}

TEST_F(HeldLatency, IsHeldAgainForTheEndOfALongSleep) {
  ASSERT_TRUE(hold(2 * millisecond));
  // Once suffices, unless this thread was kept from the processor for most of it.
  for (int tries = 0; tries < 5 && device_.written().size() < 2; ++tries) EXPECT_TRUE(wait(40 * millisecond));
  const std::vector<std::int32_t> written = device_.written();
  ASSERT_GE(written.size(), 2U);
  EXPECT_EQ(written[1], none);
  ASSERT_TRUE(hold(40 * millisecond));
  const std::size_t values = device_.written().size();
  EXPECT_TRUE(wait(2 * millisecond));
  EXPECT_EQ(device_.written().size(), values);
}

TEST_F(HeldLatency, IsLiftedAtTheEndOfTheWorker) {
  ASSERT_TRUE(hold(2 * millisecond));
  waits_.end();
  EXPECT_EQ(device_.written(), (std::vector<std::int32_t>{limit, none}));
}

TEST_F(HeldLatency, StaysTheParentsInAForkedChild) {
  ASSERT_TRUE(hold(2 * millisecond));
  waits_.disown();
  waits_.end();
  EXPECT_TRUE(wait(2 * millisecond));
  EXPECT_EQ(device_.written(), std::vector<std::int32_t>{limit});
}

TEST(HeldLatencyNot, OfABusyWorker) {
  latency_device device;
  const clock_reader time{nullptr, nullptr};
  doorbell bell;
  waiter busy(wait_options::busy(), 1, time, bell);
  ASSERT_EQ(busy.limit_cpu_latency(duration(0), device.path().c_str()), 0);
  const nanoseconds_t deadline = time.certain() + millisecond;
  EXPECT_TRUE(busy.sleep(deadline) && busy.spin(deadline));
  EXPECT_TRUE(device.written().empty());
}

}  // namespace
}  // namespace detent::detail
