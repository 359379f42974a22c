// SPDX-License-Identifier: MIT
#include "lateness/precise_wait.hpp"

#include <sys/prctl.h>

#include <chrono>
#include <thread>

namespace detent::tool {
namespace {

constexpr duration spin_margin = std::chrono::microseconds(120);

time_point spin_until(time_point instant) {
  time_point now = clock::now();
  while (now < instant) now = clock::now();
  return now;
}

}  // namespace

void set_fine_timer_slack() { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

time_point wait_until(time_point instant) {
  if (instant - clock::now() > spin_margin) std::this_thread::sleep_until(instant - spin_margin);
  return spin_until(instant);
}

lateness_log bare_spin_loop(int wakeups) {
  lateness_log lateness;
  for (int i = 0; i < wakeups; ++i) {
    const time_point instant = clock::now() + std::chrono::microseconds(500);
    lateness.record((spin_until(instant) - instant).count());
  }
  return lateness;
}

lateness_log bare_sleep(int wakeups) {
  lateness_log lateness;
  for (int i = 0; i < wakeups; ++i) {
    const time_point instant = clock::now() + std::chrono::microseconds(500);
    std::this_thread::sleep_until(instant);
    lateness.record((clock::now() - instant).count());
  }
  return lateness;
}

lateness_log sleeps_of(duration each, duration all) {
  lateness_log lateness;
  const time_point until = clock::now() + all;
  do {
    const time_point instant = clock::now() + each;
    std::this_thread::sleep_until(instant);
    lateness.record((clock::now() - instant).count());
  } while (clock::now() < until);
  return lateness;
}

}  // namespace detent::tool
