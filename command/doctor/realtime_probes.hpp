// SPDX-License-Identifier: MIT
// What a worker of SCHED_FIFO has to expect.
#pragma once
#include <vector>

#include "doctor/finding.hpp"
#include "doctor/worker_facts.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

finding realtime_throttling(const host_files& host, const worker_facts& worker);
// From Linux 6.12 on. Of a worker with a priority and a CPU.
finding fair_server(const host_files& host, const worker_facts& worker);
// May the process, or this one, have the worker's priority? Of a worker with one that does not run yet.
finding realtime_permission(const host_files& host, const worker_facts& worker);

// Those that apply.
std::vector<finding> realtime_findings(const host_files& host, const worker_facts& worker);

}  // namespace detent::tool
