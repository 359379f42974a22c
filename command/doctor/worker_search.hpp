// SPDX-License-Identifier: MIT
// Finds the thread of a running process that is an engine's worker, and how it was set up.
#pragma once
#include <optional>

#include "doctor/worker_facts.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

// Returns the worker that the process's counters file names. Without a file, it is the one thread named "detent", the
// default, or "detent-SOMETHING", unless the name is merely the program's. If `thread` is given, that is the worker.
// Its CPU and priority come from /proc, and its wait mode from the counters file. If the callers drive all engines of
// the process, there is no worker, and only the facts of the process are returned. Throws input_error if there is no
// such process or thread, no engine, or more than one worker.
worker_facts worker_of(const host_files& host, long long process, std::optional<long long> thread);

}  // namespace detent::tool
