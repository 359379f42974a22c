// SPDX-License-Identifier: MIT
#include "lateness/machine_floor.hpp"

#include "lateness/precise_wait.hpp"

namespace detent::tool {

void machine_floor::measure() {
  set_fine_timer_slack();
  spin.merge(bare_spin_loop(wakeups));
  sleep.merge(bare_sleep(wakeups));
}

}  // namespace detent::tool
