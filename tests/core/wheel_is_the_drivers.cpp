// SPDX-License-Identifier: MIT
// What any thread may write, and what does not compile: WAY is one of the ways to the wheel, 0 the right one. Compiled
// by wheel_is_the_drivers_test.py.
#include "callers/cancel.hpp"
#include "threads/driver_port.hpp"

namespace detent::detail {

void unlink(engine_core& core, thread_record& mine, node_index index, node& cancelled) noexcept {
  static_cast<void>(core);
#if WAY == 0
  if (mine.driving != nullptr) mine.driving->reap(index, cancelled);
#elif WAY == 1  // the core has no wheel
  core.wheel_.unlink(cancelled);
#elif WAY == 2  // nor a driver
  core.driver_.reap(index, cancelled);
#elif WAY == 3  // the type of the driver is not for callers
  static_cast<driver*>(mine.driving)->reap(index, cancelled);
#elif WAY == 4  // nobody makes a port
  driver_port().reap(index, cancelled);
#elif WAY == 5  // and it leads to what it offers alone
  mine.driving->agenda_.reap(index, cancelled);
#endif
}

}  // namespace detent::detail
