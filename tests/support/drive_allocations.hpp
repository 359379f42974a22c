// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

namespace detent::drive {

// How often memory was asked for so far, by any thread: of the C library's heap (operator new included) or of the
// kernel. Counted by drive_allocation_hooks.cpp.
std::uint64_t allocations();

}  // namespace detent::drive
