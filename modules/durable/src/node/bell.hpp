// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace detent::durable::detail {

// The bell wakes the thread that talks to the store.
class bell {
 public:
  void ring() {
    {
      const std::lock_guard locked(lock_);
      rung_ = true;
    }
    rings_.notify_one();
    if (called_) called_();
  }
  // Virtual time has no such thread: each ring() calls this instead.
  void call_at_each_ring(std::function<void()> f) { called_ = std::move(f); }
  // Returns whether it has rung since the last wait or the last call of has_rung().
  bool has_rung() noexcept {
    const std::lock_guard locked(lock_);
    return std::exchange(rung_, false);
  }
  // Waits until the bell rings or `at_most` has passed. Returns at once if it has rung since the last wait.
  void wait_for(std::chrono::nanoseconds at_most) noexcept {
    std::unique_lock locked(lock_);
    rings_.wait_for(locked, at_most, [&] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex lock_;
  std::condition_variable rings_;
  bool rung_ = false;
  std::function<void()> called_;
};

}  // namespace detent::durable::detail
