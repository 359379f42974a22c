// SPDX-License-Identifier: MIT
#pragma once

#include <detent/pending_timer.hpp>

#include "callers/engine_core.hpp"

#include <vector>

namespace detent::detail {

// Any thread. Ends are read before beginnings, so that no timer counts as ended but not as begun.
std::uint64_t count_pending(const engine_core& core) noexcept;
// Throws bad_alloc.
std::vector<pending_timer> list_pending(engine_core& core);

}  // namespace detent::detail
