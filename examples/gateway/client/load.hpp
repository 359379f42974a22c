// SPDX-License-Identifier: MIT
#pragma once

#include "options.hpp"

namespace load {

// Opens the sessions, trades, does what goes wrong on purpose, waits until all is settled, and prints what was seen.
// True if every promise was held.
bool run(const options& chosen);

}  // namespace load
