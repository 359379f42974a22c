// SPDX-License-Identifier: MIT
#pragma once

#if defined(__linux__)
#include <sys/time.h>
#endif
#include <csignal>

namespace detent::test {

// Ends the process by the signal out_of_time when it has used so much processor time from now on, unless the limit is
// set again; where the system has no such timer, nothing does.
#if defined(__linux__)
constexpr int out_of_time = SIGVTALRM;
inline void limit_processor_time(int seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}
#else
constexpr int out_of_time = 0;
inline void limit_processor_time(int) {}
#endif

}  // namespace detent::test
