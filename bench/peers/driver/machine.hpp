// SPDX-License-Identifier: MIT
// The machine on which a measurement was taken.
#pragma once

#include <nlohmann/json.hpp>

namespace peers {

// Returns the processor, cores, kernel, load, compiler, flags and date.
nlohmann::ordered_json machine();
// Returns the present cost of reading the clock in nanoseconds, the unit in which figures of different moments can be
// compared.
double clock_reading_ns();

}  // namespace peers
