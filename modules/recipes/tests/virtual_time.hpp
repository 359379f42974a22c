// SPDX-License-Identifier: MIT
// An engine on a manual clock that is moved a millisecond at a time.
#pragma once

#include <detent/engine.hpp>
#include <detent/executor.hpp>
#include <detent/manual_clock.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

namespace detent::recipes::testing {

using namespace std::chrono_literals;
using milliseconds = std::vector<int>;

// Drops all its work.
struct dropping : executor {
  bool execute(fired_timer&& work) noexcept override {
    fired_timer dropped = std::move(work);
    return true;
  }
};

class Recipes : public ::testing::Test {
 protected:
  void run_until(int ms) {
    engine_.poll();
    while (now() < ms) {
      clock_.advance(1ms);
      engine_.poll();
    }
  }
  int now() const { return static_cast<int>(clock_.now().time_since_epoch() / 1ms); }
  // Logs each call.
  auto log() {
    return [this] { at_.push_back(now()); };
  }

  manual_clock clock_;
  engine engine_{{.manual = &clock_}};
  milliseconds at_;
};

}  // namespace detent::recipes::testing
