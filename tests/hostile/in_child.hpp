// SPDX-License-Identifier: MIT
// A test's body in a process of its own: what it does to itself ends with it, and it may die.
#pragma once

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cstdio>
#include <exception>
#include <string>

#include "support/drive_eventually.hpp"

namespace detent::hostile {

// How a child that runs `body` ended: empty if its expectations held (its failures are printed as they come).
template <class Body>
std::string in_child(Body&& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    try {
      body();
    } catch (const std::exception& failure) {
      ADD_FAILURE() << "the child threw: " << failure.what();
    }
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  auto ended = [&] { return drive::eventually([&] { return waitpid(child, &status, WNOHANG) == child; }); };
  if (!ended() && !ended() && !ended()) {  // the child may itself have waited for what did not come
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return "the child hung";
  }
  if (WIFSIGNALED(status)) return "the child died of signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "the child's expectations did not hold";
}

// The expectations of `body` hold, and it comes to its end.
template <class Body>
void expect_in_child(Body&& body, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const std::string ended = in_child(body);
  if (!ended.empty()) ADD_FAILURE_AT(file, line) << ended;
}

}  // namespace detent::hostile
