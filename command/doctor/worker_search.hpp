// SPDX-License-Identifier: MIT
// Which thread of a running process is an engine's worker, and how it was set up.
#pragma once
#include <optional>

#include "doctor/worker_facts.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

// The worker that the process's counters file names, or else the one thread that is named "detent", the default, or
// "detent-SOMETHING", and not merely after the program.
// `thread`, if given, is it. Its CPU and priority are as /proc has them, its wait mode as the counters file has it.
// A process whose engines their callers drive has no worker: the facts are of the process alone.
// Throws input_error where there is no such process or thread, no engine, or more than one worker.
worker_facts worker_of(const host_files& host, long long process, std::optional<long long> thread);

}  // namespace detent::tool
