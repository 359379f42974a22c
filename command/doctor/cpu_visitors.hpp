// SPDX-License-Identifier: MIT
// Finds the other threads that ran on the worker's CPU, from repeated readings of all threads.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.hpp"
#include "host/thread_table.hpp"

namespace detent::tool {

class cpu_visitors {
 public:
  // The visitors do not include `own`, the worker's thread, and the threads of the process `self`, which takes the
  // samples.
  cpu_visitors(int cpu, std::optional<long long> own, std::optional<long long> self)
      : cpu_(cpu), own_(own), self_(self) {}

  // Adds a sample. The time that a thread has run since the last sample is attributed to the CPU on which it is found.
  void add(const std::vector<thread_facts>& threads);

  // `seconds` is the time from the first sample to the last, or zero if it is unknown.
  finding judged(double seconds) const;
  // Describes the visitor that had the CPU longest, as in "hog (4711) had CPU 3 for 62 % of the time". Returns an empty
  // text if none had it for 1 %.
  std::string longest_visitor(double seconds) const;

 private:
  struct visit {
    long long process = 0;
    std::string name;
    bool kernel = false;
    std::uint64_t ran = 0;  // nanoseconds
    std::uint64_t switches = 0;
  };

  int cpu_;
  std::optional<long long> own_, self_;
  int samples_ = 0;
  std::map<long long, thread_facts> last_;  // by thread
  std::map<long long, visit> visits_;
};

}  // namespace detent::tool
