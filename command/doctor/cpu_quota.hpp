// SPDX-License-Identifier: MIT
// The CPU time that the control groups of a process allow it, and what that has cost. Knows both versions of the
// hierarchy.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "doctor/finding.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

struct cpu_quota {
  bool visible = false;        // a group's quota or statistics were read
  std::string where;           // the file with the tightest limit
  std::optional<double> cpus;  // the tightest limit, if there is one
  std::string garbled;         // a file with unexpected contents, if there is one
  std::string garbled_text;
  // The figures of the most throttled group, including parents:
  std::string statistics;         // the file
  std::uint64_t periods = 0;      // periods in which it ran
  std::uint64_t throttled = 0;    // periods in which it was throttled
  std::uint64_t stood_still = 0;  // nanoseconds, over all its CPUs
};

// Reads the quota of a process, by default of this one.
cpu_quota quota_of(const host_files& host, std::optional<long long> process = {});

finding container_quota(const cpu_quota& quota);
finding quota_throttling(const std::optional<cpu_quota>& earlier, const cpu_quota& later);

}  // namespace detent::tool
