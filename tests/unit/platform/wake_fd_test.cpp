// SPDX-License-Identifier: MIT
#include "platform/wake_fd.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>

namespace detent::detail {
namespace {

// `timeout` as for poll(): milliseconds, -1 for ever.
bool readable(int fd, int timeout = 0) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, timeout) == 1 && (watched.revents & POLLIN) != 0;
}

constexpr nanoseconds_t hour = 3'600'000'000'000;
nanoseconds_t now() { return to_ns(clock::now()); }

TEST(WakeFd, OpensOnceAndIsNotInherited) {
  wake_fd wake;
  EXPECT_FALSE(wake.is_open());
  int fd = wake.open();
  ASSERT_GE(fd, 0);
  EXPECT_TRUE(wake.is_open());
  EXPECT_EQ(wake.open(), fd);
  EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
}

TEST(WakeFd, ClosesWithItsOwner) {
  int fd = -1;
  {
    wake_fd wake;
    fd = wake.open();
  }
  EXPECT_EQ(fcntl(fd, F_GETFD), -1);
  wake_fd again;
  again.open();
  wake_fd::close(again.release());
  EXPECT_FALSE(again.is_open());
}

TEST(WakeFd, DoesNothingWhileItIsNotOpen) {
  wake_fd wake;
  wake.set(5);
  wake.signal();
  EXPECT_FALSE(readable(wake.open()));
}

TEST(WakeFd, IsReadableAtOnceForWhatIsPast) {
  wake_fd wake;
  int fd = wake.open();
  for (nanoseconds_t past : {nanoseconds_t{INT64_MIN}, nanoseconds_t{-1}, nanoseconds_t{0}, nanoseconds_t{1}, now()}) {
    wake.set(std::nullopt);
    ASSERT_FALSE(readable(fd));
    wake.set(past);
    EXPECT_TRUE(readable(fd, -1)) << past;
  }
}

TEST(WakeFd, IsReadableFromItsDeadlineOn) {
  wake_fd wake;
  int fd = wake.open();
  nanoseconds_t deadline = now() + 2'000'000;
  wake.set(deadline);
  EXPECT_TRUE(readable(fd, -1));
  EXPECT_GE(now(), deadline);
  EXPECT_TRUE(readable(fd)) << "until it is set again";
}

TEST(WakeFd, IsNotReadableBefore) {
  wake_fd wake;
  int fd = wake.open();
  for (nanoseconds_t later : {now() + hour, forever - 1, forever}) {
    wake.signal();
    ASSERT_TRUE(readable(fd, -1));
    wake.set(later);
    EXPECT_FALSE(readable(fd)) << later;
  }
}

}  // namespace
}  // namespace detent::detail
