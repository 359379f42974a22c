// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>

#include "finding.hpp"
#include "host_files.hpp"

namespace detent::tool {

// The tightest limit on CPU time that the control groups of this process set, in CPUs; none where there is no limit.
// `visible` becomes false where no control group file can be read. Knows both versions of the hierarchy.
std::optional<double> cpu_quota(const host_files& host, bool& visible);

finding container_quota(const host_files& host);

}  // namespace detent::tool
