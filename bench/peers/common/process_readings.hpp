// SPDX-License-Identifier: MIT
// The time, CPU time and memory that this process has used.
#pragma once

#include <cstdint>

namespace peers {

std::int64_t steady_ns();
// Includes all threads, even those that have ended.
std::int64_t process_cpu_ns();
std::int64_t thread_cpu_ns();
double resident_bytes();
// The calling thread, and threads that it starts from now on, wake within a nanosecond of the requested time, instead
// of the default 50 us.
void ask_for_fine_wakeups();
void sleep_until_ns(std::int64_t instant_ns);

// Wall and CPU time since its construction, for use by the thread that made it.
class stopwatch {
 public:
  std::int64_t wall_ns() const { return steady_ns() - wall_began_; }
  std::int64_t cpu_ns() const { return process_cpu_ns() - cpu_began_; }
  // Returns the CPU time of all other threads.
  std::int64_t others_cpu_ns() const { return cpu_ns() - (thread_cpu_ns() - own_cpu_began_); }

 private:
  std::int64_t own_cpu_began_ = thread_cpu_ns();
  std::int64_t cpu_began_ = process_cpu_ns();
  std::int64_t wall_began_ = steady_ns();
};

}  // namespace peers
