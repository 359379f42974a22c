// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "crowd.hpp"
#include "samples.hpp"

namespace load {

// What was seen and measured, as text. `floor` is what a bare sleep is late by.
std::string report(crowd& seen, std::uint64_t freezes, samples& floor);

}  // namespace load
