// SPDX-License-Identifier: MIT
// How threads signal each other here without ordering anything: what orders the rest is detent alone.
#pragma once

#include <detent/detent.hpp>

#include <atomic>
#include <bit>
#include <cstdint>
#include <thread>

#include "../expect.hpp"

// Raised by one thread and seen by another: relaxed, so that a sanitizer takes nothing before it for ordered.
class untold_flag {
 public:
  void raise() noexcept { up_.store(true, std::memory_order_relaxed); }
  bool up() const noexcept { return up_.load(std::memory_order_relaxed); }
  void await() const {
    wait_for([this] { return up(); });
  }

 private:
  std::atomic<bool> up_{false};
};

class untold_count {
 public:
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void await(int least) const {
    wait_for([&] { return count_.load(std::memory_order_relaxed) >= least; });
  }

 private:
  std::atomic<int> count_{0};
};

// A handle that another thread may take out, once.
class untold_handle {
 public:
  void put(detent::timer handle) noexcept {
    const auto words = std::bit_cast<pair>(handle);
    first_.store(words.first, std::memory_order_relaxed);
    second_.store(words.second, std::memory_order_relaxed);
  }
  detent::timer await() const {
    wait_for(
        [this] { return first_.load(std::memory_order_relaxed) != 0 && second_.load(std::memory_order_relaxed) != 0; });
    return std::bit_cast<detent::timer>(
        pair{first_.load(std::memory_order_relaxed), second_.load(std::memory_order_relaxed)});
  }

 private:
  struct pair {
    std::uint64_t first, second;
  };
  std::atomic<std::uint64_t> first_{0}, second_{0};
};
