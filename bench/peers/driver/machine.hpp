// SPDX-License-Identifier: MIT
// What a measurement was taken on.
#pragma once

#include <nlohmann/json.hpp>

namespace peers {

// Processor, cores, kernel, load, compiler, flags, date.
nlohmann::ordered_json machine();
// What one reading of the clock costs right now, in nanoseconds: the unit in which figures of different moments
// compare.
double clock_reading_ns();

}  // namespace peers
