// SPDX-License-Identifier: MIT
#include "platform/clock_source.hpp"

namespace detent::detail {

clock_reason judge_clock_source(const char*) noexcept { return clock_reason::unknown_source; }

}  // namespace detent::detail
