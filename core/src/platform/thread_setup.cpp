// SPDX-License-Identifier: MIT
#include "platform/thread_setup.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace detent::detail {

void name_this_thread(const std::string& name) noexcept {
  char cut[16] = {};
  std::strncpy(cut, name.c_str(), sizeof cut - 1);
  pthread_setname_np(pthread_self(), cut);
}

int pin_thread(pthread_t thread, int cpu) noexcept {
  if (cpu < 0 || cpu >= CPU_SETSIZE) return EINVAL;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return pthread_setaffinity_np(thread, sizeof set, &set);
}

setup_result set_up_worker_thread(const std::string& name, std::optional<int> cpu,
                                  std::optional<int> realtime_priority) {
  name_this_thread(name);
  // The kernel lets a sleeper's wake-up slip by this much; the default is 50 microseconds. Only the thread itself can.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  if (cpu) {
    if (int failed = pin_thread(pthread_self(), *cpu); failed != 0) {
      errc problem = failed == EPERM ? errc::not_permitted : errc::invalid_option;
      return {problem, "cpu = " + std::to_string(*cpu) + ": " + std::strerror(failed)};
    }
  }
  if (realtime_priority) {
    sched_param wanted{};
    wanted.sched_priority = *realtime_priority;
    if (int failed = pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted); failed != 0) {
      errc problem = failed == EPERM ? errc::not_permitted : errc::invalid_option;
      return {problem, "realtime_priority = " + std::to_string(*realtime_priority) + ": " + std::strerror(failed)};
    }
  }
  return {};
}

}  // namespace detent::detail
