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
  long long latency = 0;    // us to leave it
  long long residency = 0;  // us that make it worth while
  bool off = false;         // disabled on each of the CPUs
};

struct idle_listing {
  std::vector<idle_state> states;  // as the kernel numbers them; with several CPUs the longest times
  std::string nonsense_in = {}, nonsense = {};
};

// Lists the idle states of a CPU, or of all of them.
idle_listing idle_states_of(const host_files& host, std::optional<int> cpu);

// How long do the states that are on take to leave?
finding idle_states(const host_files& host, const worker_facts& worker);

}  // namespace detent::tool
