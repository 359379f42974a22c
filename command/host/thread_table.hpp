// SPDX-License-Identifier: MIT
// The threads of a host, as /proc/PID/task/TID reports them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/host_files.hpp"

namespace detent::tool {

struct thread_facts {
  long long process = 0;
  long long thread = 0;
  std::string name;  // printable
  bool kernel = false;
  char state = 'S';  // as in ps: R is running or ready, S and D sleep, T and t are stopped
  int cpu = 0;       // where it ran last
  int policy = 0;    // SCHED_OTHER, SCHED_FIFO and so on
  int priority = 0;
  std::uint64_t ran = 0;        // total time on a CPU, in nanoseconds
  std::uint64_t waited = 0;     // total time ready to run without a CPU, in nanoseconds
  std::uint64_t slices = 0;     // number of times that it got a CPU
  bool delays = false;          // the kernel reports `waited` and `slices`
  std::uint64_t gave_up = 0;    // number of times that it went to sleep
  std::uint64_t preempted = 0;  // number of times that it lost its CPU
};

// Returns the facts of one thread, or nothing if its files are missing or make no sense. Without schedstat, `ran` is as
// coarse as the kernel's tick, and `waited` and `slices` are zero.
std::optional<thread_facts> thread_of(const host_files& host, long long process, long long thread);
// Returns the facts of all threads of one process.
std::vector<thread_facts> threads_of(const host_files& host, long long process);
std::vector<thread_facts> threads_of_host(const host_files& host);

}  // namespace detent::tool
