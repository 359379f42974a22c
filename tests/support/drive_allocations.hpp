// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

namespace detent::drive {

// Returns how often any thread has asked for memory so far: from the C library's heap (including operator new) or from
// the kernel. drive_allocation_hooks.cpp counts.
std::uint64_t allocations();

}  // namespace detent::drive
