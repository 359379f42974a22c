// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>

#include <cstdint>

namespace detent::detail {

// How many timers may be pending at once: backpressure. Any thread. Relaxed throughout: the count protects no memory,
// and one atomic counter is exact by itself.
class capacity {
 public:
  // 0: no limit, and nothing is counted.
  explicit capacity(std::uint64_t limit) noexcept : limit_(limit) {}

  bool is_limited() const noexcept { return limit_ != 0; }
  // Takes a place for a new timer. Returns false if all are taken.
  bool take() noexcept {
    if (limit_ == 0) return true;
    std::uint64_t taken = taken_.load(base::relaxed);
    do {
      if (taken >= limit_) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + 1, base::relaxed, base::relaxed));
    return true;
  }
  // Takes a place for a timer that its own callback re-arms, which may exceed the limit.
  void take_over_limit() noexcept {
    if (limit_ != 0) taken_.fetch_add(1, base::relaxed);
  }
  void give_back() noexcept {
    if (limit_ != 0) taken_.fetch_sub(1, base::relaxed);
  }

 private:
  const std::uint64_t limit_;
  alignas(64) base::atomic<std::uint64_t> taken_{0};
};

}  // namespace detent::detail
