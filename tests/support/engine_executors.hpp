// SPDX-License-Identifier: MIT
// Executors whose every step a test decides.
#pragma once

#include <detent/executor.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <utility>

namespace detent::testing {

// Keeps its work until the test runs it or lets it go. One thread.
class holding_executor final : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    if (refuse) return false;
    held.push_back(std::move(work));
    return true;
  }
  void run_first() {
    fired_timer next = std::move(held.front());
    held.pop_front();
    next();
  }
  std::size_t run_all() {
    std::size_t count = 0;
    for (; !held.empty(); ++count) run_first();
    return count;
  }

  std::deque<fired_timer> held;
  bool refuse = false;
};

// Refuses while it is told to. Otherwise it runs work at once, on the engine's thread.
class moody_executor final : public executor {
 public:
  bool execute(fired_timer&& work) noexcept override {
    asked.fetch_add(1);
    if (refuse.load()) return false;
    work();
    return true;
  }

  std::atomic<bool> refuse{false};
  std::atomic<int> asked{0};
};

}  // namespace detent::testing
