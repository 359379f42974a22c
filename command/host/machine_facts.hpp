// SPDX-License-Identifier: MIT
#pragma once
#include "host/host_files.hpp"
#include "text/text_table.hpp"

namespace detent::tool {

// Lists the facts that figures depend on, one in a row: CPU model, cores, kernel, frequency governor, load. If one
// cannot be read, its row says so.
text_table machine_facts(const host_files& host = host_files());

}  // namespace detent::tool
