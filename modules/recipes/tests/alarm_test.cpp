// SPDX-License-Identifier: MIT
#include <detent/recipes/detail/alarm.hpp>

#include "support/meeting.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

namespace detent::recipes::testing {
namespace {

using namespace std::chrono_literals;

// The test holds this alarm's mutex while the timer fires.
class held_alarm final : public detail::alarm {
 public:
  explicit held_alarm(engine& on) : alarm(on, {}) {}
  void arm_again_while_it_fires() {
    const std::lock_guard lock(mutex_);
    arm(on().now());
    while (pending()) std::this_thread::yield();  // the run is waiting for the mutex
    earliest_ = after(0ms);
    arm(after(5ms));
  }
  void wait() { ran_.take(); }
  int runs() {
    const std::lock_guard lock(mutex_);
    return runs_;
  }

 private:
  bool due(time_point started) noexcept override {
    ++runs_;
    EXPECT_GE(started, earliest_);
    ran_.give();
    return true;
  }
  void call() override {}

  time_point earliest_;
  int runs_ = 0;
  test::turn ran_;
};

TEST(RecipesAlarm, ArmedBeforeItsRunHasTheMutexRunsAtTheNewTimeOnly) {
  engine engine;
  const auto alarm = std::make_shared<held_alarm>(engine);
  alarm->arm_again_while_it_fires();
  alarm->wait();
  alarm->end();
  EXPECT_EQ(alarm->runs(), 1);
}

}  // namespace
}  // namespace detent::recipes::testing
