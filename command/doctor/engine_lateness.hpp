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
    bool rests = false;  // it has run no timer between the last two looks
  };

  void look_at(engine& each);

  host_files host_;
  machine_watch machine_;
  std::vector<engine> engines_;
};

}  // namespace detent::tool
