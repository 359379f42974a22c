// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"
#include "doctor/driver_watch.hpp"
#include "doctor/finding.hpp"
#include "doctor/machine_watch.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

// Judges an engine by two looks at it. By the last one it had fired no timer for `rested` nanoseconds, as far as it was
// watched.
finding judged_lateness(const counters_snapshot& first, const counters_snapshot& last, std::int64_t rested,
                        const driver_evidence& evidence);

// The lateness of a process's engines while it is watched, and the reasons. It sees only engines that have a counters
// file and exist at the first look.
class engine_lateness {
 public:
  // Takes the first look.
  explicit engine_lateness(long long process);

  // `expected` says how many nanoseconds after the last look this one was meant to be.
  void look(std::int64_t expected);
  // Returns a finding for each engine.
  std::vector<finding> findings() const;

 private:
  struct engine {
    std::string path;
    driver_watch driver;
    counters_snapshot first, last;
    driver_evidence before;
    std::int64_t rested = 0;  // nanoseconds up to the last look in which it fired no timer
  };

  void look_at(engine& each);

  host_files host_;
  machine_watch machine_;
  std::vector<engine> engines_;
};

}  // namespace detent::tool
