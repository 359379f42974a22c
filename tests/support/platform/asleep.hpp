// SPDX-License-Identifier: MIT
// Waiting until another thread waits: in order to wake it, or to see that it is kept.
#pragma once

#if defined(__linux__)
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "support/drive_eventually.hpp"
#include "support/platform/process.hpp"

namespace detent::drive {

// Returns whether the thread of that folder sleeps in the kernel for longer than between two readings. It has slept
// through both if it has given up its processor equally often at the second. This leaves out locks on its way to the
// wait.
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

// Looks for the only thread with that name.
inline bool thread_sleeps(const std::string& name) {
  return comes_to_sleep([&] { return thread_folder(name); });
}

// A thread that is about to wait, for others to see that it does.
#if defined(__linux__)
class sleeper {
 public:
  // Called by the thread itself, immediately before the call that waits.
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
#else
// Other systems only give the thread time: a test that comes too early shows less, and does not fail.
class sleeper {
 public:
  void lies_down() { lies_ = true; }
  bool sleeps() const {
    if (!eventually([this] { return lies_.load(); })) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return true;
  }

 private:
  std::atomic<bool> lies_{false};
};
#endif

}  // namespace detent::drive
