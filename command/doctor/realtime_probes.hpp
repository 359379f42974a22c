// SPDX-License-Identifier: MIT
// Limits of the kernel that a worker of SCHED_FIFO meets.
#pragma once
#include <vector>

#include "doctor/finding.hpp"
#include "doctor/worker_facts.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

finding realtime_throttling(const host_files& host, const worker_facts& worker);
// Linux has it since 6.12. The worker must have a priority and a CPU.
finding fair_server(const host_files& host, const worker_facts& worker);
// Judges whether the process, or this one, may have the worker's priority. The worker must have a priority and not yet
// be running.
finding realtime_permission(const host_files& host, const worker_facts& worker);

// Returns those of these findings that apply.
std::vector<finding> realtime_findings(const host_files& host, const worker_facts& worker);

}  // namespace detent::tool
