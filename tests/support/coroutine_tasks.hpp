// SPDX-License-Identifier: MIT
// The smallest coroutines: one that has an owner, and one that has none.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace detent::testing {

// Starts at once and stays suspended at its end until its owner destroys it, which may be earlier. Its exception is
// kept, or goes on to its resumer.
template <bool Rethrows>
class basic_owned_task {
 public:
  struct promise_type {
    std::exception_ptr thrown;
    basic_owned_task get_return_object() {
      return basic_owned_task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept(!Rethrows) {
      if constexpr (Rethrows) throw;
      thrown = std::current_exception();
    }
  };

  basic_owned_task() noexcept = default;
  basic_owned_task(basic_owned_task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  basic_owned_task& operator=(basic_owned_task&& other) noexcept {
    destroy();
    frame_ = std::exchange(other.frame_, nullptr);
    return *this;
  }
  ~basic_owned_task() { destroy(); }

  void destroy() noexcept {
    if (frame_) std::exchange(frame_, nullptr).destroy();
  }
  bool done() const noexcept { return frame_.done(); }
  std::exception_ptr thrown() const noexcept { return frame_.promise().thrown; }

 private:
  explicit basic_owned_task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

using owned_task = basic_owned_task<false>;
using rethrowing_task = basic_owned_task<true>;

// Starts at once, and frees its frame at its end. Must not throw.
struct free_task {
  struct promise_type {
    free_task get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

}  // namespace detent::testing
