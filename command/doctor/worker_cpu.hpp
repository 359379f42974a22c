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

finding isolated_cpus(const host_files& host);                                // is there any? Of a worker without a CPU
finding worker_cpu(const host_files& host, int cpu);                          // is it isolated?
finding worker_affinity(const host_files& host, const worker_facts& worker);  // of a running one without a CPU
finding timer_slack(const host_files& host, const worker_facts& worker);

// The time that a running worker lost between two readings of it, and that the hypervisor took from its CPU, or from
// all of them.
finding worker_waits(const std::optional<thread_facts>& earlier, const std::optional<thread_facts>& later,
                     const worker_facts& worker, double seconds);
// Finds that a running worker is the limit: it uses more than 60 % of a CPU between two readings, and does not spin all
// the time by its own choice. Returns none if it is not.
std::optional<finding> worker_load(const std::optional<thread_facts>& earlier, const std::optional<thread_facts>& later,
                                   const worker_facts& worker, double seconds);
finding stolen_time(std::optional<int> cpu, const std::optional<std::string>& earlier,
                    const std::optional<std::string>& later, double seconds);

}  // namespace detent::tool
