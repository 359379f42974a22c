// SPDX-License-Identifier: MIT
// A driver as an opaque handle, so that the code that begins and ends an engine need not know the wheel.
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
// Notes that a callback on the driving thread destroyed the engine, while the drive is still further up its stack.
void set_ended(driver& drives) noexcept;
// Called when no thread drives any more: refused work is stale then, and each piece holds a reference to the core.
void clear_retries(driver& drives) noexcept;

}  // namespace detent::detail
