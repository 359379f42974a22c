// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "finding.hpp"
#include "host_files.hpp"

namespace detent::tool {

// What the files of /proc and /sys say. None of these fails: what cannot be read is reported as not visible.
finding clock_source(const host_files& host);
finding invariant_tsc(const host_files& host);
finding timer_slack(const host_files& host);
finding frequency_governor(const host_files& host);
finding isolated_cpus(const host_files& host);
finding realtime_throttling(const host_files& host);
finding transparent_huge_pages(const host_files& host);
finding locked_memory_limit(const host_files& host);

// All of them, and the container's quota.
std::vector<finding> probe_host(const host_files& host);

}  // namespace detent::tool
