// SPDX-License-Identifier: MIT
#include "bare_sleep.hpp"

#include <sys/prctl.h>

#include <chrono>
#include <ctime>
#include <utility>

namespace load {

using std::chrono::steady_clock;

samples bare_sleep::take() {
  thread_.request_stop();
  thread_.join();
  return std::move(lateness_);
}

void bare_sleep::run(const std::stop_token& stop) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // else the kernel may add 50 us on purpose
  constexpr auto period = std::chrono::milliseconds(1);
  for (auto next = steady_clock::now() + period; !stop.stop_requested(); next += period) {
    const auto since_boot = std::chrono::nanoseconds(next.time_since_epoch()).count();
    const timespec until{.tv_sec = since_boot / 1'000'000'000, .tv_nsec = since_boot % 1'000'000'000};
    if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == 0)
      lateness_.add(steady_clock::now() - next);
  }
}

}  // namespace load
