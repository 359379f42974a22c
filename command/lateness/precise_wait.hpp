// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include "lateness/lateness_log.hpp"

namespace detent::tool {

// Asks the kernel to wake the calling thread within a nanosecond of the requested time, instead of the default 50 us.
void set_fine_timer_slack();

// Returns at `instant` or right after it, never before. It sleeps while the instant is far away, and then spins on the
// clock. Returns the last reading of the clock. The thread should have called set_fine_timer_slack().
time_point wait_until(time_point instant);

// Measures, `wakeups` times, how late a loop is that only reads the clock until an instant has come. No program can be
// less late on this machine now. Each time takes half a millisecond.
lateness_log bare_spin_loop(int wakeups);
// Measures how late a thread is that sleeps half a millisecond each time and never spins. Call set_fine_timer_slack()
// before.
lateness_log bare_sleep(int wakeups);

// Measures how late a thread is after sleeps of length `each`. There are as many as begin within `all`, and at least
// one. Call set_fine_timer_slack() before.
lateness_log sleeps_of(duration each, duration all);

}  // namespace detent::tool
