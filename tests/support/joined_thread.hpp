// SPDX-License-Identifier: MIT
// A thread that its owner joins when it dies: what std::jthread is, which libc++ lacks before version 20.
#pragma once

#include <concepts>
#include <thread>
#include <utility>

namespace detent::testing {

class joined_thread {
 public:
  template <std::invocable Work>
  explicit joined_thread(Work work) : thread_(std::move(work)) {}
  joined_thread(joined_thread&&) noexcept = default;
  joined_thread& operator=(joined_thread&&) = delete;
  ~joined_thread() { join(); }

  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace detent::testing
