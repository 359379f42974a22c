// SPDX-License-Identifier: MIT
// What a child of this process said on stderr before it aborted.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "expect.hpp"

template <class Action>
std::string said_and_aborted(Action action) {
  int ends[2];
  EXPECT(::pipe(ends) == 0);
  const pid_t child = ::fork();
  EXPECT(child >= 0);
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    action();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char part[256];
  for (ssize_t count; (count = ::read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<size_t>(count));
  ::close(ends[0]);
  int status = 0;
  EXPECT(::waitpid(child, &status, 0) == child);
  EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  return said;
}
