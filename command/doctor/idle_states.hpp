// SPDX-License-Identifier: MIT
// The processors' idle states, as the kernel lists them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.hpp"
#include "doctor/worker_facts.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

struct idle_state {
  std::string name;
  long long latency = 0;    // microseconds to leave it
  long long residency = 0;  // microseconds from which on it pays
  bool off = false;         // on each of the CPUs
};

struct idle_listing {
  std::vector<idle_state> states;  // numbered as by the kernel; with the longest times of several CPUs
  std::string nonsense_in = {}, nonsense = {};
};

// Lists the idle states of one CPU, or of all CPUs.
idle_listing idle_states_of(const host_files& host, std::optional<int> cpu);

// Judges how long the enabled states take to leave.
finding idle_states(const host_files& host, const worker_facts& worker);

}  // namespace detent::tool
