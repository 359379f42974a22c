// SPDX-License-Identifier: MIT
// The CPU that the worker has, or could have, to itself.
#pragma once
#include <optional>
#include <string>

#include "doctor/finding.hpp"
#include "doctor/worker_facts.hpp"
#include "host/host_files.hpp"
#include "host/thread_table.hpp"

namespace detent::tool {

// Reports the isolated CPUs, for a worker that has no CPU of its own.
finding isolated_cpus(const host_files& host);
// Judges whether the worker's CPU is isolated.
finding worker_cpu(const host_files& host, int cpu);
// Judges where a running worker that has no CPU of its own may run.
finding worker_affinity(const host_files& host, const worker_facts& worker);
finding timer_slack(const host_files& host, const worker_facts& worker);

// Judges how long a running worker waited between two readings of it, and how much time the hypervisor took from its
// CPU, or from all CPUs.
finding worker_waits(const std::optional<thread_facts>& earlier, const std::optional<thread_facts>& later,
                     const worker_facts& worker, double seconds);
// Finds out whether a running worker is the bottleneck: between two readings it used more than 60 % of a CPU, and its
// options do not let it spin all the time. Returns nothing if it is not.
std::optional<finding> worker_load(const std::optional<thread_facts>& earlier, const std::optional<thread_facts>& later,
                                   const worker_facts& worker, double seconds);
finding stolen_time(std::optional<int> cpu, const std::optional<std::string>& earlier,
                    const std::optional<std::string>& later, double seconds);

}  // namespace detent::tool
