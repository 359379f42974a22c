// SPDX-License-Identifier: MIT
// The grid of the ticks, without an engine.
#include "server/bare_sleeper.hpp"

#include "match/rules.hpp"

#include <sys/prctl.h>

#include <cstdio>
#include <ctime>

namespace game {

bare_sleeper::bare_sleeper() : thread_([this](std::stop_token ending) { run(std::move(ending)); }) {}

durations& bare_sleeper::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  return lateness_;
}

void bare_sleeper::run(std::stop_token ending) {
  // By default the kernel may add 50 us to a sleep, and not to the timerfd that the server waits for.
  if (prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) != 0) std::perror("prctl");
  detent::time_point deadline = detent::clock::now();
  while (!ending.stop_requested()) {
    const auto periods = (detent::clock::now() - deadline) / frame_length + 1;
    deadline += periods * frame_length;
    const auto ns = deadline.time_since_epoch().count();
    const timespec until{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0 && !ending.stop_requested()) {
    }
    // As with the ticks: late for the last of the periods that have passed.
    lateness_.add((detent::clock::now() - deadline) % frame_length);
  }
}

}  // namespace game
