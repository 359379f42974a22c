// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "host/host_files.hpp"

namespace detent::tool {

// The clocks of a machine at one look, and what the looking thread had to wait for. Nanoseconds.
struct machine_clocks {
  std::int64_t monotonic = 0, since_boot = 0;  // CLOCK_MONOTONIC and CLOCK_BOOTTIME
  std::optional<std::int64_t> waited = {};     // by this thread, ready to run and waiting for a CPU; none: unknown

  static machine_clocks read(const host_files& host);
};

// The time that a machine stood still, from one look to the next: suspended, or a virtual machine that did not run; and
// what the hypervisor took from each CPU. Where the looking process was stopped, that counts as well.
class machine_watch {
 public:
  // `expected`: how long after the last look this one was meant to be, in nanoseconds.
  void look(const machine_clocks& now, std::int64_t expected, const host_files& host);

  std::int64_t now() const { return last_.monotonic; }
  std::int64_t halted() const { return halted_; }
  std::int64_t longest_halt() const { return longest_; }
  std::int64_t stolen_from(int cpu) const;  // ever; nanoseconds

 private:
  machine_clocks last_;
  bool looked_ = false;
  std::int64_t halted_ = 0, longest_ = 0;
  std::map<int, std::int64_t> stolen_;  // by CPU
};

}  // namespace detent::tool
