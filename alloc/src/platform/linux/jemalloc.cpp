// SPDX-License-Identifier: MIT
#include "jemalloc.hpp"

#include <detent/base/compiler.hpp>

#include <bit>
#include <cstdio>

// These are null unless the program links or preloads jemalloc.
extern "C" {
DETENT_WEAK void* mallocx(std::size_t bytes, int flags);
DETENT_WEAK void dallocx(void* memory, int flags);
DETENT_WEAK int mallctl(const char* name, void* old_value, std::size_t* old_bytes, void* new_value,
                        std::size_t new_bytes);
}

namespace detent::alloc::jemalloc {

// The flags of jemalloc(3): log2 of the alignment, zeroing, thread cache + 2, and arena + 1.
static constexpr int zeroed = 0x40;
static constexpr int no_thread_cache = 1 << 8;
static int aligned_to(std::size_t alignment) noexcept { return std::countr_zero(alignment); }
static int from_arena(unsigned arena) noexcept { return static_cast<int>((arena + 1) << 20); }

bool present() noexcept { return mallocx != nullptr && dallocx != nullptr && mallctl != nullptr; }

int create_arena(unsigned& arena) noexcept {
  std::size_t bytes = sizeof(arena);
  return mallctl("arenas.create", &arena, &bytes, nullptr, 0);
}

void destroy_arena(unsigned arena) noexcept {
  char name[32];
  std::snprintf(name, sizeof(name), "arena.%u.destroy", arena);
  mallctl(name, nullptr, nullptr, nullptr, 0);
}

void* allocate(unsigned arena, std::size_t bytes, std::size_t alignment) noexcept {
  return mallocx(bytes, from_arena(arena) | no_thread_cache | aligned_to(alignment) | zeroed);
}

void release(void* memory) noexcept { dallocx(memory, no_thread_cache); }

}  // namespace detent::alloc::jemalloc
