// SPDX-License-Identifier: MIT
// Waiting until another thread waits: in order to wake it, or to see that it is kept.
#pragma once

#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "support/drive_eventually.hpp"
#include "support/drive_process.hpp"

namespace detent::drive {

// Whether the thread of that folder comes to sleep in the kernel for longer than between two readings. It sleeps
// through both if it has given up its processor as often at the second: a lock on the way to where it is to wait is not
// meant.
template <class Folder>
bool comes_to_sleep(Folder&& folder) {
  std::string before;
  return eventually([&] {
    const std::optional<std::string> of = folder();
    std::string now;
    if (of && status_field(*of, "State").rfind('S', 0) == 0) now = status_field(*of, "voluntary_ctxt_switches");
    return !now.empty() && now == std::exchange(before, now);
  });
}

// The one thread of that name.
inline bool thread_sleeps(const std::string& name) {
  return comes_to_sleep([&] { return thread_folder(name); });
}

// A thread that is about to wait, for others to see that it does.
class sleeper {
 public:
  // By the thread itself, right before the call that is to wait.
  void lies_down() { thread_ = gettid(); }
  bool sleeps() const {
    return comes_to_sleep([this] {
      const pid_t thread = thread_;
      return thread == 0 ? std::nullopt : std::optional("/proc/self/task/" + std::to_string(thread) + "/");
    });
  }

 private:
  std::atomic<pid_t> thread_{0};
};

}  // namespace detent::drive
