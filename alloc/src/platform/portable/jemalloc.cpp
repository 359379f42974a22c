// SPDX-License-Identifier: MIT
// No weak references: jemalloc is taken for absent.
#include "jemalloc.hpp"

namespace detent::alloc::jemalloc {

bool present() noexcept { return false; }
int create_arena(unsigned&) noexcept { return 0; }
void destroy_arena(unsigned) noexcept {}
void* allocate(unsigned, std::size_t, std::size_t) noexcept { return nullptr; }
void release(void*) noexcept {}

}  // namespace detent::alloc::jemalloc
