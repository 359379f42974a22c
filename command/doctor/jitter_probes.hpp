// SPDX-License-Identifier: MIT
#pragma once
#include <detent/detent.hpp>

#include <sys/timex.h>

#include <vector>

#include "doctor/finding.hpp"

namespace detent::tool {

// These probes must measure. Each runs on the calling thread.
finding cost_of_clock_reading();
// Asks for a timer slack by PR_SET_TIMERSLACK and judges by slack_obtained() whether the kernel obeys.
finding slack_request();
finding slack_obtained(bool accepted, long long nanoseconds);
finding default_clock();                     // what clock_kind::automatic comes down to here, and why
finding clock_steering();                    // does the kernel slew CLOCK_MONOTONIC by more than that clock allows?
finding steering_by(const timex& reported);  // judges the report of adjtimex()
finding oversleep(duration length);          // how late clock_nanosleep returns, with a timer slack of 1 ns
finding longest_pause(duration length);      // as seen by a thread that only reads the clock

// Runs all of them, which takes up to two seconds longer than `length`.
std::vector<finding> measure_jitter(duration length);

}  // namespace detent::tool
