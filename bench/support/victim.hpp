// SPDX-License-Identifier: MIT
// Which of the live timers is cancelled or restarted next.
#pragma once

#include <cstdint>

namespace detent::bench {

enum class victim : std::uint8_t { oldest, any };

}  // namespace detent::bench
