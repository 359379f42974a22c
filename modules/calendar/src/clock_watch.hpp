// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>

#include <sys/types.h>

#include <functional>
#include <thread>

namespace detent::detail {

// A thread that is blocked until the wall clock is set and then calls `stepped`. It reads a timerfd of CLOCK_REALTIME
// with TFD_TIMER_CANCEL_ON_SET, which a resume from suspend cancels as well.
class clock_watch {
 public:
  // Notices steps from its return on. Throws error with errc::not_permitted.
  clock_watch();
  clock_watch(const clock_watch&) = delete;
  clock_watch& operator=(const clock_watch&) = delete;
  ~clock_watch();  // calls stop()

  // `stepped` must not throw. Throws what the constructor throws.
  void start(std::function<void()> stepped);
  // Waits for a call of `stepped` that is under way. Does nothing in the child of a fork, which has no such thread.
  void stop() noexcept;

 private:
  void run(const std::function<void()>& stepped) noexcept;

  int fd_;
  pid_t process_;
  base::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace detent::detail
