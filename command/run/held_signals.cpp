// SPDX-License-Identifier: MIT
#include "run/held_signals.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace detent::tool {

held_signals::held_signals() {
  sigemptyset(&held_);
  for (const int each : {SIGINT, SIGTERM}) {
    struct sigaction known = {};
    if (sigaction(each, nullptr, &known) == 0 && known.sa_handler != SIG_IGN) sigaddset(&held_, each);
  }
  pthread_sigmask(SIG_BLOCK, &held_, &earlier_);
}

held_signals::~held_signals() {
  while (wait_until(time_point())) {
  }
  pthread_sigmask(SIG_SETMASK, &earlier_, nullptr);
}

bool held_signals::wait_until(time_point then) {
  const duration left = std::max(then - clock::now(), duration(0));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  const timespec span = {.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
  return sigtimedwait(&held_, nullptr, &span) > 0;
}

}  // namespace detent::tool
