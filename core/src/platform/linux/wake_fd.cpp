// SPDX-License-Identifier: MIT
#include "platform/wake_fd.hpp"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace detent::detail {

int wake_fd::open() noexcept {
  int fd = fd_.load(base::relaxed);  // relaxed: only the driver opens it
  if (fd >= 0) return fd;
  fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  // relaxed: a producer signals only after it has found the driver outside, which the doorbell's exchange orders.
  fd_.store(fd, base::relaxed);
  return fd;
}

// relaxed: the caller's fence orders it before the wait for threads that may have read it.
int wake_fd::release() noexcept { return fd_.exchange(-1, base::relaxed); }

void wake_fd::close(int fd) noexcept {
  if (fd >= 0) ::close(fd);
}

void wake_fd::set(std::optional<nanoseconds_t> deadline) noexcept {
  // relaxed: a signal that is missed here leaves the descriptor readable, so the driver comes again and finds it.
  if (deadline == set_to_ && !signalled_.load(base::relaxed)) return;
  signalled_.store(false, base::relaxed);  // before arming, so that a signal from here on marks it again
  set_to_ = deadline;
  arm(deadline);
}

void wake_fd::signal() noexcept {
  arm(1);
  signalled_.store(true, base::relaxed);  // relaxed: as in set()
}

// The number stays, because loops know it: they ask the kernel about it, and some end the process if it is not a
// descriptor.
void wake_fd::disown() noexcept {
  inert_ = true;
  const int fd = fd_.load(base::relaxed);  // relaxed: there is no other thread
  if (fd < 0) return;
  ::close(fd);  // first, because the process may have no other descriptor left
  const int own = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  const bool replaced = own >= 0 && (own == fd || dup3(own, fd, O_CLOEXEC) == fd);
  if (own >= 0 && own != fd) ::close(own);
  if (!replaced) fd_.store(-1, base::relaxed);
}

void wake_fd::arm(std::optional<nanoseconds_t> deadline) noexcept {
  int fd = fd_.load(base::relaxed);  // relaxed: as in open()
  if (fd < 0 || inert_) return;
  itimerspec when{};
  if (deadline) {
    // Zero would disarm it, so a past deadline is due at the first nanosecond.
    nanoseconds_t ns = *deadline > 0 ? *deadline : 1;
    when.it_value = {ns / 1'000'000'000, ns % 1'000'000'000};
  }
  timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace detent::detail
