// SPDX-License-Identifier: MIT
// Threads that wait for each other. std::latch, std::barrier and std::binary_semaphore of g++ 12 for MinGW lose a
// wake-up now and then: one in some thousand meetings of three threads under wine.
#pragma once

#include <condition_variable>
#include <mutex>

namespace detent::test {

// A number of threads meet again and again.
class meeting {
 public:
  explicit meeting(int threads) : all_(threads), missing_(threads) {}
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const unsigned mine = round_;
    if (arrive()) return;
    begun_.wait(lock, [&] { return round_ != mine; });
  }

 private:
  bool arrive() {
    if (--missing_ != 0) return false;
    missing_ = all_;
    ++round_;
    begun_.notify_all();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable begun_;
  const int all_;
  int missing_;
  unsigned round_ = 0;
};

// One thread hands a value to another.
class turn {
 public:
  void give() {
    const std::lock_guard lock(mutex_);
    is_there_ = true;
    given_.notify_one();
  }
  void take() {
    std::unique_lock lock(mutex_);
    given_.wait(lock, [this] { return is_there_; });
    is_there_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  bool is_there_ = false;
};

}  // namespace detent::test
