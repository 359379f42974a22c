// SPDX-License-Identifier: MIT
// Replaces the C library's allocation functions in the test program that links this. Not for sanitized builds, which
// replace them themselves.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "support/drive_allocations.hpp"

namespace detent::drive {
namespace {
std::atomic<std::uint64_t> count{0};
void* counted(void* memory) {
  count.fetch_add(1, std::memory_order_relaxed);  // relaxed: a counter of its own
  return memory;
}
}  // namespace

std::uint64_t allocations() { return count.load(); }
}  // namespace detent::drive

// The C library's own functions, under the names that it keeps for such replacements. operator new ends in malloc.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t number, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) { return detent::drive::counted(__libc_malloc(bytes)); }
void* calloc(std::size_t number, std::size_t bytes) { return detent::drive::counted(__libc_calloc(number, bytes)); }
void* realloc(void* memory, std::size_t bytes) { return detent::drive::counted(__libc_realloc(memory, bytes)); }
void* memalign(std::size_t alignment, std::size_t bytes) {
  return detent::drive::counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  return detent::drive::counted(
      reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, file, offset)));
}
}
