// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <string>
#include <vector>

#include "finding.hpp"
#include "host_files.hpp"

namespace detent::tool {

// Everything on this host that may spoil precision: what its files say, then what was measured for `length`.
std::vector<finding> examine(const host_files& host, duration length);

std::string doctor_text(const std::vector<finding>& findings);
std::string doctor_json(const std::vector<finding>& findings);

}  // namespace detent::tool
