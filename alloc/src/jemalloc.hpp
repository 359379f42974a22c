// SPDX-License-Identifier: MIT
// jemalloc, if the program has it. The library itself never links it.
#pragma once

#include <cstddef>

namespace detent::alloc::jemalloc {

bool present() noexcept;

// 0, or the error number of the call. To be called only if jemalloc is present, as all below.
int create_arena(unsigned& arena) noexcept;
// Gives the arena's memory back to the system; nothing may be allocated from it any more.
void destroy_arena(unsigned arena) noexcept;

// Zeroed memory from the arena, past all thread caches; nullptr when out of memory. The alignment is a power of two.
void* allocate(unsigned arena, std::size_t bytes, std::size_t alignment) noexcept;
void release(void* memory) noexcept;

}  // namespace detent::alloc::jemalloc
