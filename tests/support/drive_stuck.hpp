// SPDX-License-Identifier: MIT
#pragma once

#include <detent/engine.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "support/drive_eventually.hpp"

namespace detent::drive {

// A callback that is due at once and runs until this object is destroyed.
class stuck_callback {
 public:
  stuck_callback(engine& e, std::uint64_t tag) {
    e.schedule_after(std::chrono::nanoseconds(0),
                     [this] {
                       started_ = true;
                       while (!open_) std::this_thread::yield();
                       ended_ = true;
                     },
                     {.tag = tag});
  }
  ~stuck_callback() {
    open_ = true;
    EXPECT_TRUE(eventually([&] { return ended_.load(); }));
  }
  bool wait_until_it_runs() {
    return eventually([&] { return started_.load(); });
  }

 private:
  std::atomic<bool> started_{false}, open_{false}, ended_{false};
};

}  // namespace detent::drive
