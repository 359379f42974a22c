// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace detent::durable::detail {

// The bell wakes the thread that talks to the store.
class bell {
 public:
  void ring() noexcept {
    {
      const std::lock_guard locked(lock_);
      rung_ = true;
    }
    rings_.notify_one();
  }
  // Waits until it rings, or has rung since the last wait, or that much time has passed.
  void wait_for(std::chrono::nanoseconds at_most) noexcept {
    std::unique_lock locked(lock_);
    rings_.wait_for(locked, at_most, [&] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex lock_;
  std::condition_variable rings_;
  bool rung_ = false;
};

}  // namespace detent::durable::detail
