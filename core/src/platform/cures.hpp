// SPDX-License-Identifier: MIT
// The system's limits that refusals come from, and how to raise them.
#pragma once

#include <string>

namespace detent::detail {

// A clause for a refusal with `problem`, an errno; empty where there is no cure to name.
std::string cure_of(int problem);

}  // namespace detent::detail
