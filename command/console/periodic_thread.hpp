// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace detent::tool {

// A thread that works after each interval. Work that takes longer than one delays the next, and is not made up for. The
// destructor waits for what is being done.
class periodic_thread {
 public:
  // `work` throws nothing but bad_alloc, which leaves it out for that once.
  // The first time is after `first`.
  periodic_thread(std::chrono::milliseconds first, std::chrono::milliseconds interval, std::function<void()> work);

  void request_stop() { thread_.request_stop(); }
  // Whether it has ended by then; it does after request_stop(), once it has done what it is at.
  bool ended_by(std::chrono::steady_clock::time_point deadline);

 private:
  std::mutex mutex_;
  std::condition_variable_any stopped_, ended_;
  bool over_ = false;
  std::jthread thread_;  // the last: it ends before the others
};

}  // namespace detent::tool
