// SPDX-License-Identifier: MIT
// A driver as an opaque handle: what begins and ends an engine need not know the wheel.
#pragma once

#include "callers/engine_core.hpp"

#include <memory>

namespace detent::detail {

class driver;

struct driver_deleter {
  void operator()(driver* ended) const noexcept;
};
using driver_handle = std::unique_ptr<driver, driver_deleter>;

// Throws bad_alloc.
driver_handle make_driver(engine_core& core);
// A callback on the driving thread destroyed the engine: the drive is still further up its stack.
void set_ended(driver& drives) noexcept;
// No thread drives any more: what an executor has refused is stale, and each holds a reference to the core.
void clear_retries(driver& drives) noexcept;

}  // namespace detent::detail
