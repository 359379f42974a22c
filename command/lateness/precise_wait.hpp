// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include "lateness/lateness_log.hpp"

namespace detent::tool {

// Asks the kernel to wake the calling thread within a nanosecond of what it asked for, not the default 50 us.
void set_fine_timer_slack();

// Returns at `instant` or right after it, never before: sleeps while it is far away, then spins on the clock. Returns
// what the clock said. Wants set_fine_timer_slack() on this thread.
time_point wait_until(time_point instant);

// How late a loop is that does nothing but read the clock until an instant has come, `wakeups` times: the least
// lateness that any program gets from this machine now. Spins for half a millisecond each.
lateness_log bare_spin_loop(int wakeups);
// How late a thread is that sleeps half a millisecond each time and never spins. Call set_fine_timer_slack() before.
lateness_log bare_sleep(int wakeups);

// How late a thread is after sleeps of length `each`, as many as begin within `all`, at least one. Call
// set_fine_timer_slack() before.
lateness_log sleeps_of(duration each, duration all);

}  // namespace detent::tool
