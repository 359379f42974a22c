// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <optional>

namespace detent::detail {

// A timerfd that is readable when the caller of poll() has something to do: at a deadline, or at once when it is
// signalled. Setting it again makes it unreadable, so it need not be read.
class wake_fd {
 public:
  wake_fd() = default;
  ~wake_fd() { close(release()); }
  wake_fd(const wake_fd&) = delete;
  wake_fd& operator=(const wake_fd&) = delete;

  bool is_open() const noexcept {
    return fd_.load(base::relaxed) >= 0;
  }  // relaxed: called by the driver, which opened it
  // Opens the descriptor if necessary. Returns -1 and sets errno if the kernel refuses.
  int open() noexcept;
  // Returns the descriptor for the caller to close, or -1 if there is none. Threads that ask for it from now on do not
  // use it.
  int release() noexcept;
  static void close(int fd) noexcept;
  // Makes it readable from `deadline` on (CLOCK_MONOTONIC); without a deadline, it is not readable before the next
  // call. Called by the driver; makes a system call only if something changes.
  void set(std::optional<nanoseconds_t> deadline) noexcept;
  // Makes it readable at once. Any thread.
  void signal() noexcept;
  // For the child of a fork, while it has one thread: the descriptor belongs to its parent. From now on, its number is
  // a descriptor of the child's own, which nothing makes readable. Async-signal-safe.
  void disown() noexcept;

 private:
  void arm(std::optional<nanoseconds_t> deadline) noexcept;

  base::atomic<int> fd_{-1};
  bool inert_ = false;                  // in the child of a fork, before it has other threads
  base::atomic<bool> signalled_{true};  // since it was last set, so it may differ from `set_to_`
  std::optional<nanoseconds_t> set_to_;
};

}  // namespace detent::detail
