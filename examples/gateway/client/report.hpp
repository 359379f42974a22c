// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "crowd.hpp"
#include "samples.hpp"

namespace load {

// Returns the results and measurements as text. `floor` is the lateness of a bare sleep.
std::string report(crowd& seen, std::uint64_t freezes, samples& floor);

}  // namespace load
