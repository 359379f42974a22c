// SPDX-License-Identifier: MIT
#pragma once
#include "counters/counters_file.hpp"

namespace detent::tool {

// The memory for one reading of the host. An engine without labels takes some 40 KB and a label 10 to 30 KB; a forged
// file may ask for 180 MB. The history keeps up to three times as much.
inline constexpr reading_budget console_budget{.engines = 8 << 20, .labels = 16 << 20};

}  // namespace detent::tool
