// SPDX-License-Identifier: MIT
// Replaces the C library's allocation functions in the test program that links this. Not for sanitized builds, which
// replace them themselves.
#include "hostile/allocation_faults.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace detent::hostile {
namespace {

std::atomic<bool> armed{false};
std::atomic<faults> kind_armed{faults::one};
std::atomic<std::uint64_t> first_refused{0}, asked{0}, refused{0};
std::atomic<std::int64_t> blocks{0}, mapped_bytes{0};

bool refuses() noexcept {
  if (!armed.load()) return false;
  const std::uint64_t number = asked.fetch_add(1) + 1, first = first_refused.load();
  if (kind_armed.load() == faults::one ? number != first : number < first) return false;
  refused.fetch_add(1);
  errno = ENOMEM;
  return true;
}

void* counted(void* block) noexcept {
  if (block != nullptr) blocks.fetch_add(1);
  return block;
}

// glibc ends the program where it cannot note the destructor of a thread_local; it asks for one such record each.
constexpr std::size_t thread_local_note_bytes = 4 * sizeof(void*);

}  // namespace

void arm_faults(faults kind, std::uint64_t nth) noexcept {
  kind_armed.store(kind);
  first_refused.store(nth);
  asked.store(0);
  refused.store(0);
  armed.store(true);
}

std::uint64_t disarm_faults() noexcept {
  armed.store(false);
  return refused.load();
}

holdings held_now() noexcept { return {blocks.load(), mapped_bytes.load()}; }

}  // namespace detent::hostile

// The C library's own, under the names that it keeps for such replacements. operator new ends in malloc.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t number, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

using namespace detent::hostile;

void* malloc(std::size_t bytes) { return refuses() ? nullptr : counted(__libc_malloc(bytes)); }
void* calloc(std::size_t number, std::size_t bytes) {
  const bool must_succeed = number == 1 && bytes == thread_local_note_bytes;
  return !must_succeed && refuses() ? nullptr : counted(__libc_calloc(number, bytes));
}
void* realloc(void* memory, std::size_t bytes) {
  if (memory == nullptr) return malloc(bytes);
  return refuses() ? nullptr : __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return refuses() ? nullptr : counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  if (memory != nullptr) blocks.fetch_sub(1);
  __libc_free(memory);
}
void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (refuses()) return MAP_FAILED;
  const long made = syscall(SYS_mmap, where, bytes, protection, flags, file, offset);
  if (made != -1) mapped_bytes.fetch_add(static_cast<std::int64_t>(bytes));
  return reinterpret_cast<void*>(made);
}
int munmap(void* memory, std::size_t bytes) noexcept {
  const long failed = syscall(SYS_munmap, memory, bytes);
  if (failed == 0) mapped_bytes.fetch_sub(static_cast<std::int64_t>(bytes));
  return static_cast<int>(failed);
}
}
