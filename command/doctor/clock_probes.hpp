// SPDX-License-Identifier: MIT
// Whether the clock is cheap to read and to be trusted.
#pragma once
#include "doctor/finding.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

finding clock_source(const host_files& host);
// Is the TSC invariant, and has the kernel not dropped it as unstable?.
finding time_stamp_counter(const host_files& host);

}  // namespace detent::tool
