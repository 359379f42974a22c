// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>

#include <cstddef>

namespace detent::detail {

// Counts the parties that must arrive before something goes on. The last one to arrive makes it go on.
class parties {
 public:
  // relaxed: nothing has begun.
  void begin(std::size_t count) noexcept { left_.store(count, base::relaxed); }
  // Returns true for the last one, which sees everything that the others have done. (1) acq_rel: pairs with itself.
  [[nodiscard]] bool arrive(std::size_t count = 1) noexcept { return left_.fetch_sub(count, base::acq_rel) == count; }
  // Adds one party while there are others. Returns false if all have arrived.
  [[nodiscard]] bool join() noexcept {
    std::size_t left = left_.load(base::relaxed);  // relaxed: the exchange decides
    while (left != 0 && !left_.compare_exchange_weak(left, left + 1, base::relaxed, base::relaxed)) {
    }
    return left != 0;
  }

 private:
  base::atomic<std::size_t> left_{0};
};

}  // namespace detent::detail
