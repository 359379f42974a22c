// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <cstdint>
#include <ctime>
#include <utility>

namespace detent::tool {

// CPU time used since construction, by the process and by the engine's worker thread. The constructor runs one timer to
// learn which thread the worker is; `engine` is worker-driven.
class cpu_usage {
 public:
  explicit cpu_usage(engine& engine);

  struct reading {
    double process = 0, worker = 0;  // in CPUs: 1.0 is one CPU all the time
    double seconds = 0;              // of wall time
  };
  reading read() const;  // while the engine runs: a thread that has ended has no clock
  long long worker_thread() const { return worker_.second; }  // its id

 private:
  std::pair<clockid_t, long long> worker_;  // its clock and its id
  time_point began_;
  std::int64_t process_before_, worker_before_;
};

}  // namespace detent::tool
