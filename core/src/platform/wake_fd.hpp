// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <optional>

namespace detent::detail {

// One timerfd that is readable when the caller of poll() has something to do: at a deadline, or at once when signalled.
// Setting it again makes it unreadable, so that it need not be read from.
class wake_fd {
 public:
  wake_fd() = default;
  ~wake_fd() { close(release()); }
  wake_fd(const wake_fd&) = delete;
  wake_fd& operator=(const wake_fd&) = delete;

  bool is_open() const noexcept {
    return fd_.load(base::relaxed) >= 0;
  }  // relaxed: asked by the driver, which opened it
  // Opens it if need be; -1 and errno where the kernel refuses.
  int open() noexcept;
  // Leaves it to the caller to close; no thread that asks for it from here on uses it; -1: there is none.
  int release() noexcept;
  static void close(int fd) noexcept;
  // Readable from `deadline` on (CLOCK_MONOTONIC); none: not before the next call. The driver; a system call only if
  // something changes.
  void set(std::optional<nanoseconds_t> deadline) noexcept;
  // Readable at once. Any thread.
  void signal() noexcept;
  // In the child of a fork, while it has one thread: the descriptor is its parent's. From now on its number is one of
  // the child's own, which nothing makes readable. Async-signal-safe.
  void disown() noexcept;

 private:
  void arm(std::optional<nanoseconds_t> deadline) noexcept;

  base::atomic<int> fd_{-1};
  bool inert_ = false;                  // in the child of a fork, before it has other threads
  base::atomic<bool> signalled_{true};  // since it was last set: it may not be as it was set
  std::optional<nanoseconds_t> set_to_;
};

}  // namespace detent::detail
