// SPDX-License-Identifier: MIT
#include "wake_fd.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

namespace detent::detail {

int wake_fd::open() noexcept {
  int fd = fd_.load(base::relaxed);  // relaxed: only the driver opens it
  if (fd >= 0) return fd;
  fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  // Relaxed: a producer signals only after it found the driver outside, which the doorbell's exchange orders.
  fd_.store(fd, base::relaxed);
  return fd;
}

void wake_fd::close() noexcept {
  int fd = fd_.exchange(-1, base::relaxed);  // relaxed: the engine is ending, nobody signals any more
  if (fd >= 0) ::close(fd);
}

void wake_fd::set(std::optional<nanoseconds_t> deadline) noexcept {
  // Relaxed: a signal that is missed here leaves the descriptor readable, so that the driver comes again and finds it.
  if (deadline == set_to_ && !signalled_.load(base::relaxed)) return;
  signalled_.store(false, base::relaxed);  // before arming: what is signalled from here on marks it again
  set_to_ = deadline;
  arm(deadline);
}

void wake_fd::signal() noexcept {
  arm(1);
  signalled_.store(true, base::relaxed);  // relaxed: as in set()
}

void wake_fd::arm(std::optional<nanoseconds_t> deadline) noexcept {
  int fd = fd_.load(base::relaxed);  // relaxed: as in open()
  if (fd < 0) return;
  itimerspec when{};
  if (deadline) {
    // Zero would disarm it: what is past is due at the first nanosecond.
    nanoseconds_t ns = *deadline > 0 ? *deadline : 1;
    when.it_value = {ns / 1'000'000'000, ns % 1'000'000'000};
  }
  timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace detent::detail
