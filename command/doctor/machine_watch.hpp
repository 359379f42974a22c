// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "host/host_files.hpp"

namespace detent::tool {

// The clocks of a machine at one look, and how long the looking thread had to wait. In nanoseconds.
struct machine_clocks {
  std::int64_t monotonic = 0, since_boot = 0;  // CLOCK_MONOTONIC and CLOCK_BOOTTIME
  std::optional<std::int64_t> waited = {};     // how long this thread was ready to run without a CPU, if known

  static machine_clocks read(const host_files& host);
};

// How long a machine stood still from one look to the next, because it was suspended or because the virtual machine did
// not run; and the time that the hypervisor took from each CPU. A stop of the looking process counts as well.
class machine_watch {
 public:
  // `expected` says how many nanoseconds after the last look this one was meant to be.
  void look(const machine_clocks& now, std::int64_t expected, const host_files& host);

  std::int64_t now() const { return last_.monotonic; }
  std::int64_t halted() const { return halted_; }
  std::int64_t longest_halt() const { return longest_; }
  std::int64_t stolen_from(int cpu) const;  // since the start, in nanoseconds

 private:
  machine_clocks last_;
  bool looked_ = false;
  std::int64_t halted_ = 0, longest_ = 0;
  std::map<int, std::int64_t> stolen_;  // by CPU
};

}  // namespace detent::tool
