// SPDX-License-Identifier: MIT
// The descriptor by which a caller-driven engine shows an event loop that poll() has something to do.
#include <detent/detent.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "limits.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_eventually.hpp"
#include "support/engine_executors.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;

// Waits for it; 0: asks only. A past time too takes the kernel a moment.
bool readable(int fd, int milliseconds = 0) {
  pollfd asked{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&asked, 1, milliseconds) == 1 && (asked.revents & POLLIN) != 0;
}
constexpr int long_enough = 20'000;

template <class F>
void on_another_thread(F&& f) {
  std::thread(std::forward<F>(f)).join();
}

TEST(EnginePollWakeFd, IsUnreadableWhileNothingIsPendingOrItIsFarAway) {
  engine caller({.drive = drive_kind::caller}), far({.drive = drive_kind::caller});
  far.schedule_after(1h, [] {});
  EXPECT_FALSE(readable(caller.wake_fd()));
  EXPECT_FALSE(readable(far.wake_fd()));
}

TEST(EnginePollWakeFd, BecomesReadableAtTheNextDeadline) {
  engine caller({.drive = drive_kind::caller});
  const time_point due = clock::now() + 20ms;
  caller.schedule_at(due, [] {});
  EXPECT_TRUE(readable(caller.wake_fd(), long_enough));
  EXPECT_GE(clock::now(), due);
  EXPECT_EQ(caller.poll(), 1u);
}

TEST(EnginePollWakeFd, StaysReadableForALeftoverOnTheSteadyClockToo) {
  engine caller({.drive = drive_kind::caller});
  const int fd = caller.wake_fd();
  const time_point due = clock::now();
  for (int i = 0; i < 2; ++i) caller.schedule_at(due, [] {});
  EXPECT_EQ(caller.poll(1), 1u);
  EXPECT_TRUE(readable(fd, long_enough));
  EXPECT_EQ(caller.poll(1), 1u);
  EXPECT_FALSE(readable(fd));
}

TEST(EnginePollWakeFd, BecomesReadableWhenAnotherThreadSchedulesSomethingEarlier) {
  engine caller({.drive = drive_kind::caller});
  caller.schedule_after(1h, [] {});
  const int fd = caller.wake_fd();
  on_another_thread([&] { caller.schedule_after(1ms, [] {}); });
  std::size_t fired = 0;
  while (fired == 0 && readable(fd, long_enough)) fired = caller.poll();
  EXPECT_EQ(fired, 1u);
  EXPECT_FALSE(readable(fd));
}

TEST(EnginePollWakeFd, BecomesReadableWhenAnotherThreadRestartsSomethingEarlier) {
  engine caller({.drive = drive_kind::caller});
  timer far = caller.schedule_after(1h, [] {});
  const int fd = caller.wake_fd();
  on_another_thread([&] { EXPECT_TRUE(far.restart_after(1ms)); });
  std::size_t fired = 0;
  while (fired == 0 && readable(fd, long_enough)) fired = caller.poll();
  EXPECT_EQ(fired, 1u);
}

TEST(EnginePollWakeFd, BecomesReadableWhenAnotherThreadSchedulesSomethingDueInVirtualTime) {
  drive::virtual_engine rig;
  const int fd = rig.engine.wake_fd();
  on_another_thread([&] { rig.engine.schedule_after(duration(0), rig.note(1)); });
  EXPECT_TRUE(readable(fd, long_enough));
  EXPECT_EQ(rig.engine.poll(), 1u);
  EXPECT_FALSE(readable(fd));
}

TEST(EnginePollWakeFd, BecomesReadableForManyAtOnce) {
  drive::virtual_engine rig;
  const int fd = rig.engine.wake_fd();
  const std::uint64_t before = rig.engine.metrics().rings;
  const std::vector<time_point> deadlines(2, at(0));
  std::vector<timer> out(2);
  EXPECT_EQ(rig.engine.schedule_at_bulk(
                deadlines, [](std::size_t) {}, out),
            2u);
  EXPECT_TRUE(readable(fd, long_enough));
  EXPECT_EQ(rig.engine.metrics().rings, before + 1);
  EXPECT_EQ(rig.engine.poll(), 2u);
  EXPECT_FALSE(readable(fd));
}

TEST(EnginePollWakeFd, IsNotRungForWhatIsLaterThanTheNextDeadline) {
  engine caller({.drive = drive_kind::caller});
  caller.schedule_after(1h, [] {});
  const int fd = caller.wake_fd();
  const auto rings = caller.metrics().rings;
  on_another_thread([&] {
    for (std::uint64_t i = 1; i < detail::limits::least_backlog; ++i) caller.schedule_after(2h, [] {});
  });
  EXPECT_EQ(caller.metrics().rings, rings);
  EXPECT_FALSE(readable(fd));
}

TEST(EnginePollWakeFd, ForgetsACancelledDeadline) {
  engine caller({.drive = drive_kind::caller});
  timer near = caller.schedule_after(30ms, [] {});
  const int fd = caller.wake_fd();
  near.cancel();
  caller.poll();
  EXPECT_FALSE(readable(fd, 100));
}

TEST(EnginePollWakeFd, BecomesReadableWhenAnotherThreadStopsTheEngine) {
  engine caller({.drive = drive_kind::caller});
  caller.schedule_after(1h, [] {});
  const int fd = caller.wake_fd();
  on_another_thread([&] { caller.stop(); });
  EXPECT_TRUE(readable(fd, long_enough));
}

TEST(EnginePollWakeFd, IsNotInheritedByWhatTheProgramExecutes) {
  engine caller({.drive = drive_kind::caller});
  EXPECT_NE(fcntl(caller.wake_fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(EnginePollWakeFd, IsClosedWithTheEngine) {
  int fd = -1;
  {
    engine caller({.drive = drive_kind::caller});
    fd = caller.wake_fd();
    EXPECT_GE(fcntl(fd, F_GETFD), 0);
  }
  EXPECT_EQ(fcntl(fd, F_GETFD), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST(EnginePollWakeFd, BelongsToTheEngineItWasMovedTo) {
  std::optional<engine> first(std::in_place, engine_options{.drive = drive_kind::caller});
  const int fd = first->wake_fd();
  engine second(std::move(*first));
  first.reset();
  EXPECT_GE(fcntl(fd, F_GETFD), 0);
  second.poll();
  EXPECT_EQ(second.wake_fd(), fd);
}

TEST(EnginePollWakeFd, CountsOneRingForAllThatOneDrainAnswers) {
  drive::virtual_engine rig;
  rig.engine.wake_fd();
  const std::uint64_t before = rig.engine.metrics().rings;
  for (int ns : {100, 50, 20}) rig.engine.schedule_at(at(ns), [] {});
  EXPECT_EQ(rig.engine.metrics().rings, before + 1);
}

TEST(EnginePollWakeFd, IsSetAgainByAskingForTheNextDeadline) {
  drive::virtual_engine rig;
  const int fd = rig.engine.wake_fd();
  rig.engine.schedule_at(at(100), [] {});
  EXPECT_TRUE(readable(fd, long_enough)) << "for what is earlier than anything known";
  EXPECT_EQ(rig.engine.next_deadline(), at(100));
  EXPECT_FALSE(readable(fd));
}

TEST(EnginePollWakeFd, IsReadableForTheRetryOfWhatAnExecutorRefused) {
  auto moody = std::make_shared<testing::moody_executor>();
  moody->refuse = true;
  engine e({.drive = drive_kind::caller, .executor = moody, .on_refusal = refusal_policy::retry});
  const int fd = e.wake_fd();
  e.schedule_after(0ns, [] {});
  ASSERT_TRUE(testing::eventually([&] { return e.poll(), moody->asked > 0; }));
  EXPECT_TRUE(readable(fd, long_enough));
}

}  // namespace
}  // namespace detent
