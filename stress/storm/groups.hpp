// SPDX-License-Identifier: MIT
// A group that all threads share, and whom its members belong to. While an era is closed, nothing of it may run.
#pragma once

#include <detent/detent.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

namespace stress {

struct shared_group {
  explicit shared_group(detent::engine& engine) : group(engine) {}

  // Nothing of this era runs any more once it has returned; captures may live until the engine comes by.
  void close() {
    std::unique_lock lock(scheduling);
    const std::uint64_t next = ++era;
    group.cancel_all_and_wait();
    closed = next;
  }

  std::shared_mutex scheduling;  // closing an era waits for the calls that schedule into it
  detent::timer_group group;
  std::atomic<std::uint64_t> era{0};
  std::atomic<std::uint64_t> closed{0};  // eras before this one
};

}  // namespace stress
