// SPDX-License-Identifier: MIT
// A thread that its owner joins when it dies: what std::jthread is, which libc++ lacks before version 20. And several.
#pragma once

#include <concepts>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

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

// Runs `work` on that many threads at the same time and waits for them. It is passed the number of its thread if it
// takes one.
template <std::integral Count, class Work>
void on_threads(Count count, Work&& work) {
  std::vector<joined_thread> threads;
  for (Count i = 0; i != count; ++i) {
    threads.emplace_back([&work, i] {
      if constexpr (std::is_invocable_v<Work&, Count>)
        work(i);
      else
        static_cast<void>(i), work();
    });
  }
}

}  // namespace detent::testing
