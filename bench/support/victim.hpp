// SPDX-License-Identifier: MIT
// Chooses the live timer that is cancelled or restarted next.
#pragma once

#include <cstdint>

namespace detent::bench {

enum class victim : std::uint8_t { oldest, any };

}  // namespace detent::bench
