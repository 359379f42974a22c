// SPDX-License-Identifier: MIT
// Captures that report when, and how often, they are destroyed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace detent::testing {

// Counts the callables that hold a token of it: how many are alive, and how many have ended.
class census {
 public:
  class token {
   public:
    explicit token(census& of) : of_(&of) { of_->living_.fetch_add(1); }
    token(const token& other) : token(*other.of_) {}
    token(token&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    token& operator=(token) = delete;
    ~token() {
      if (of_ == nullptr) return;
      of_->ended_.fetch_add(1);  // first, because a thread that sees none alive may end the census
      of_->living_.fetch_sub(1);
    }

   private:
    census* of_;  // null after it has moved
  };

  token join() { return token(*this); }
  int living() const { return living_.load(); }
  int ended() const { return ended_.load(); }

 private:
  std::atomic<int> living_{0}, ended_{0};
};

// A callable that does nothing, in two sizes: with `Bytes` 0 it fits into a node, and with more it is boxed.
template <std::size_t Bytes>
struct bystander {
  census::token here;
  std::array<std::byte, Bytes> padding{};
  void operator()() const {}
};

// A callable that does nothing when called, and something when it is destroyed. Moved-from ones do not count.
class at_end {
 public:
  explicit at_end(std::function<void()> what) : what_(std::make_unique<std::function<void()>>(std::move(what))) {}
  at_end(at_end&&) noexcept = default;
  at_end& operator=(at_end&&) = delete;
  ~at_end() {
    if (what_ != nullptr) (*what_)();
  }
  void operator()() const {}

 private:
  std::unique_ptr<std::function<void()>> what_;
};

}  // namespace detent::testing
