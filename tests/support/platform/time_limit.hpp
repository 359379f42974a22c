// SPDX-License-Identifier: MIT
#pragma once

#if defined(__linux__)
#include <sys/time.h>
#endif
#include <csignal>

namespace detent::test {

// Ends the process by the signal out_of_time once it has used this much more processor time, unless the limit is set
// again. Does nothing on a system without such a timer.
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
