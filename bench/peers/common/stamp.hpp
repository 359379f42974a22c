// SPDX-License-Identifier: MIT
// The cheapest reading of time there is, for what takes some ten nanoseconds.
#pragma once

#include <cstdint>

namespace peers {

// The time-stamp counter, by stamp_tsc.cpp; the steady clock where there is none, by stamp_clock.cpp.
std::uint64_t stamp();

// Nanoseconds a stamp, by the steady clock. Takes 20 ms.
double measured_stamp_ns();

}  // namespace peers
