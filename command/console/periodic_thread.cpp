// SPDX-License-Identifier: MIT
#include "console/periodic_thread.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace detent::tool {

periodic_thread::periodic_thread(std::chrono::milliseconds first, std::chrono::milliseconds interval,
                                 std::function<void()> work)
    : thread_([this, first, interval, work = std::move(work)](const std::stop_token& stop) {
        for (auto next = std::chrono::steady_clock::now() + first;;) {
          std::unique_lock lock(mutex_);
          stopped_.wait_until(lock, stop, next, [] { return false; });
          if (stop.stop_requested()) {
            over_ = true;
            ended_.notify_all();
            return;
          }
          lock.unlock();
          try {
            work();
          } catch (const std::bad_alloc&) {
            // This reading is skipped. There may be memory for the next one.
          }
          next = std::max(next + interval, std::chrono::steady_clock::now());
        }
      }) {}

bool periodic_thread::ended_by(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, deadline, [this] { return over_; });
}

}  // namespace detent::tool
