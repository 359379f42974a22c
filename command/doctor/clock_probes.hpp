// SPDX-License-Identifier: MIT
// Judges whether the clock is cheap to read and can be trusted.
#pragma once
#include "doctor/finding.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

finding clock_source(const host_files& host);
// Judges whether the TSC is invariant and the kernel still trusts it.
finding time_stamp_counter(const host_files& host);

}  // namespace detent::tool
