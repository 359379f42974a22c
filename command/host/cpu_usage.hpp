// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <cstdint>
#include <ctime>

namespace detent::tool {

// CPU time used since construction, by the process and, if the engine has one, by its worker thread.
class cpu_usage {
 public:
  explicit cpu_usage(const engine& engine);

  struct reading {
    double process = 0, worker = 0;  // in CPUs: 1.0 is one CPU all the time
    double seconds = 0;              // of wall time
  };
  reading read() const;  // while the engine runs, because a thread that has ended has no clock
  long long worker_thread() const { return worker_thread_; }  // the thread's id

 private:
  long long worker_thread_;
  clockid_t worker_clock_;
  time_point began_;
  std::int64_t process_before_, worker_before_;
};

}  // namespace detent::tool
