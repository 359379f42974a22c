// SPDX-License-Identifier: MIT
// The fewest steps of a script that still fail.
#pragma once

#include "world.hpp"

namespace detent::sim {

// Plays it in child processes, with fewer and fewer steps. None of them fails: the script itself, unchanged.
script shrink(const script& failing);
// Whether it fails, in a child process.
bool fails(const script& plays);

}  // namespace detent::sim
