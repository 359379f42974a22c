// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace detent::tool {

// A thread that works at each interval. Work that takes longer than an interval delays the next one, and no work is
// made up for. The destructor waits until the work under way is done.
class periodic_thread {
 public:
  // `work` throws nothing but bad_alloc, and then that turn is skipped. The first turn comes after `first`.
  periodic_thread(std::chrono::milliseconds first, std::chrono::milliseconds interval, std::function<void()> work);

  void request_stop() { thread_.request_stop(); }
  // Returns whether the thread has ended by then. It ends after request_stop(), as soon as the work under way is done.
  bool ended_by(std::chrono::steady_clock::time_point deadline);

 private:
  std::mutex mutex_;
  std::condition_variable_any stopped_, ended_;
  bool over_ = false;
  std::jthread thread_;  // last, so that it ends before the others are destroyed
};

}  // namespace detent::tool
