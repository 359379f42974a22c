// SPDX-License-Identifier: MIT
// Walks in a child process, so that a crash or a walk without an end is a failure like any other.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace detent::test {

// How far a child has come. It lies in memory that the parent shares, so it survives a crash.
struct walk_report {
  std::atomic<std::uint64_t> clean{0};  // number of walks, from the first on, that kept all promises
  char why[2'000] = {};                 // why the next one failed; empty if it did not
};

struct walk_outcome {
  std::uint64_t clean = 0;
  std::string why;
  bool failed() const noexcept { return !why.empty(); }
};

#if defined(__linux__)
// Runs work(report) in a child. The signal `time_out` ends a walk that takes too long. Throws std::system_error if
// there is no child.
template <class Work>
walk_outcome walk_in_child(int time_out, Work&& work) {
  void* const memory = ::mmap(nullptr, sizeof(walk_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  walk_report& report = *new (memory) walk_report;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    std::forward<Work>(work)(report);
    std::fflush(nullptr);
    ::_exit(0);
  }
  const int problem = child < 0 ? errno : 0;
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  walk_outcome came{report.clean, report.why};
  ::munmap(memory, sizeof(walk_report));
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "fork");
  if (came.failed() || status == 0) return came;
  if (!WIFSIGNALED(status)) {
    came.why = "the process ends with status " + std::to_string(WEXITSTATUS(status));
  } else if (WTERMSIG(status) == time_out) {
    came.why = "the walk comes to no end";
  } else {
    came.why = std::string("the process ends by ") + ::strsignal(WTERMSIG(status));
  }
  return came;
}
#else
// Without forks, it runs in this process: a crash ends it, and a walk without an end hangs.
template <class Work>
walk_outcome walk_in_child(int, Work&& work) {
  walk_report report;
  std::forward<Work>(work)(report);
  return {report.clean, report.why};
}
#endif

}  // namespace detent::test
