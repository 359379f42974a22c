// SPDX-License-Identifier: MIT
// jemalloc, if the program has it. The library itself never links it.
#pragma once

#include <cstddef>

namespace detent::alloc::jemalloc {

bool present() noexcept;

// Returns 0 or the error number of the call. This and everything below may be called only if jemalloc is present.
int create_arena(unsigned& arena) noexcept;
// Gives the arena's memory back to the system. Nothing may be allocated from it any more.
void destroy_arena(unsigned arena) noexcept;

// Returns zeroed memory from the arena, without thread caches, or nullptr if memory is out. The alignment must be a
// power of two.
void* allocate(unsigned arena, std::size_t bytes, std::size_t alignment) noexcept;
void release(void* memory) noexcept;

}  // namespace detent::alloc::jemalloc
