// SPDX-License-Identifier: MIT
#pragma once
#include "host/host_files.hpp"
#include "text/text_table.hpp"

namespace detent::tool {

// The facts that figures depend on, a row each: CPU model, cores, kernel, frequency governor, load. The row of a fact
// that cannot be read says so.
text_table machine_facts(const host_files& host = host_files());

}  // namespace detent::tool
