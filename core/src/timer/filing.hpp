// SPDX-License-Identifier: MIT
#pragma once

#include <detent/time.hpp>

namespace detent::detail {

// The values by which a wheel files a node.
struct filing {
  nanoseconds_t time;
  bool in_order;  // it fires after all of its thread's that were filed before and are due at the same time
};

}  // namespace detent::detail
