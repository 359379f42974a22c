// SPDX-License-Identifier: MIT
// Limits of the kernel that a worker of SCHED_FIFO meets.
#pragma once
#include <vector>

#include "doctor/finding.hpp"
#include "doctor/worker_facts.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

finding realtime_throttling(const host_files& host, const worker_facts& worker);
// Linux has it from 6.12 on. The worker needs a priority and a CPU.
finding fair_server(const host_files& host, const worker_facts& worker);
// May the process, or this one, have the worker's priority? Needs a worker with a priority that does not run yet.
finding realtime_permission(const host_files& host, const worker_facts& worker);

// All of these findings that apply.
std::vector<finding> realtime_findings(const host_files& host, const worker_facts& worker);

}  // namespace detent::tool
