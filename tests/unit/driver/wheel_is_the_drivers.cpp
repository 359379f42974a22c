// SPDX-License-Identifier: MIT
// A function of the callers, in which WAY stands for a way to the wheel: wheel_is_the_drivers_test.py says which
// compile.
#include "callers/cancel.hpp"
#include "threads/driver_port.hpp"

namespace detent::detail {

void unlink([[maybe_unused]] engine_core& core, [[maybe_unused]] thread_record& mine, [[maybe_unused]] node_index index,
            [[maybe_unused]] node& cancelled) noexcept {
  WAY;
}

}  // namespace detent::detail
