// SPDX-License-Identifier: MIT
// Steps of the wall clock move nothing. Seen from outside (strace), no wait is timed by it; seen from inside, no code
// asks for it.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace detent {
namespace {

// The system calls of the program that waits in every way, one a line; empty if they cannot be traced here.
std::vector<std::string> traced_calls() {
  const std::string log = testing::TempDir() + "detent-waits-" + std::to_string(getpid());
  // Everything that can wait for a time, and what arms timers.
  const std::string command = "strace -f -qq -o " + log +
                              " -e trace=futex,futex_time64,clock_nanosleep,nanosleep,timerfd_create,timerfd_settime,"
                              "timer_create,setitimer,poll,ppoll,epoll_wait,select,pselect6,rt_sigtimedwait " +
                              WAITS_PROGRAM + " > /dev/null 2> " + log + ".errors";
  const int status = std::system(command.c_str());
  std::vector<std::string> lines;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::filesystem::remove(log);
  std::filesystem::remove(log + ".errors");
  if (status != 0) lines.clear();
  return lines;
}

bool has(const std::string& line, const char* part) { return line.find(part) != std::string::npos; }

// Returns whether a system call waits for a time on the wall clock. A futex call without a timeout names a clock but
// does not wait for a time, and a sleep without flags is for a span, which no step of that clock changes.
bool waits_by_the_wall_clock(const std::string& call) {
  if (!has(call, "CLOCK_REALTIME") && !has(call, "ITIMER_REAL")) return false;
  if (has(call, "clock_nanosleep(CLOCK_REALTIME, 0, ")) return false;
  return !(has(call, "futex(") && has(call, ", NULL, FUTEX_BITSET_MATCH_ANY"));
}

TEST(WallClock, TimesNoWaitThatStraceSees) {
  if (std::system("strace -o /dev/null true > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "strace is not installed, or may not trace here";
  const std::vector<std::string> calls = traced_calls();
  int timed = 0, timers = 0;
  for (const std::string& call : calls) {
    EXPECT_FALSE(waits_by_the_wall_clock(call)) << call;
    if (has(call, "FUTEX_WAIT_BITSET") && has(call, "tv_sec")) ++timed;
    if (has(call, "timerfd_create(CLOCK_MONOTONIC")) ++timers;
  }
  EXPECT_GT(timed, 0) << "the workers' sleep was not seen";
  EXPECT_GT(timers, 0) << "the wake_fd was not seen";
}

}  // namespace
}  // namespace detent
