// SPDX-License-Identifier: MIT
// The cheapest reading of time there is, for what takes some ten nanoseconds.
#pragma once

#include <cstdint>

namespace peers {

// Reads the time-stamp counter (stamp_tsc.cpp), or the steady clock if there is no counter (stamp_clock.cpp).
std::uint64_t stamp();

// Measures the nanoseconds per stamp by the steady clock, which takes 20 ms.
double measured_stamp_ns();

}  // namespace peers
