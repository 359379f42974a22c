// SPDX-License-Identifier: MIT
// jemalloc, if the program has it. The library itself never links it.
#pragma once

#include <detent/base/compiler.hpp>

#include <bit>
#include <cstddef>
#include <cstdio>

// These are null unless the program links or preloads jemalloc.
extern "C" {
DETENT_WEAK void* mallocx(std::size_t bytes, int flags);
DETENT_WEAK void dallocx(void* memory, int flags);
DETENT_WEAK int mallctl(const char* name, void* old_value, std::size_t* old_bytes, void* new_value,
                        std::size_t new_bytes);
}

namespace detent::alloc::jemalloc {

// The flags of jemalloc(3): zeroing, thread cache + 2; log2 of the alignment, and arena + 1, are added where it is
// used.
inline constexpr int zeroed = 0x40, no_thread_cache = 1 << 8;

inline bool present() noexcept { return mallocx != nullptr && dallocx != nullptr && mallctl != nullptr; }

// Returns 0 or the error number of the call. This and everything below may be called only if jemalloc is present.
inline int create_arena(unsigned& arena) noexcept {
  std::size_t bytes = sizeof(arena);
  return mallctl("arenas.create", &arena, &bytes, nullptr, 0);
}
// Gives the arena's memory back to the system. Nothing may be allocated from it any more.
inline void destroy_arena(unsigned arena) noexcept {
  char name[32];
  std::snprintf(name, sizeof(name), "arena.%u.destroy", arena);
  mallctl(name, nullptr, nullptr, nullptr, 0);
}

// Returns zeroed memory from the arena, without thread caches, or nullptr if memory is out. The alignment must be a
// power of two.
inline void* allocate(unsigned arena, std::size_t bytes, std::size_t alignment) noexcept {
  const int from_arena = static_cast<int>((arena + 1) << 20);
  return mallocx(bytes, from_arena | no_thread_cache | std::countr_zero(alignment) | zeroed);
}
inline void release(void* memory) noexcept { dallocx(memory, no_thread_cache); }

}  // namespace detent::alloc::jemalloc
