// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include "page/console_view.hpp"

namespace detent::tool {

// Leaves the payload out.
console_timer timer_of(durable::listed_record&& its);

}  // namespace detent::tool
