// SPDX-License-Identifier: MIT
#include "process_readings.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>

namespace peers {
namespace {

constexpr std::int64_t second = 1'000'000'000;

std::int64_t reading_of(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return now.tv_sec * second + now.tv_nsec;
}

}  // namespace

std::int64_t steady_ns() { return reading_of(CLOCK_MONOTONIC); }

std::int64_t process_cpu_ns() { return reading_of(CLOCK_PROCESS_CPUTIME_ID); }

std::int64_t thread_cpu_ns() { return reading_of(CLOCK_THREAD_CPUTIME_ID); }

double resident_bytes() {
  std::uint64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void ask_for_fine_wakeups() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

void sleep_until_ns(std::int64_t instant_ns) {
  const timespec until{.tv_sec = instant_ns / second, .tv_nsec = instant_ns % second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace peers
