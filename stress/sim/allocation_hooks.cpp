// SPDX-License-Identifier: MIT
// Replaces the C library's allocation functions in this program. operator new ends in malloc.
#include "allocations.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

// The C library's own, under the names that it keeps for such replacements.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t number, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);
}

namespace detent::sim::allocations {
namespace {

thread_local constinit int depth = 0;  // of engine calls on this thread; 0: the simulation's own code

// What follows is guarded by `turn`, though but one thread of a world runs at a time: threads begin and end beside it.
std::atomic_flag turn;
class guard {
 public:
  guard() noexcept {
    while (turn.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~guard() { turn.clear(std::memory_order_release); }
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;
};

bool planning = false;
std::uint64_t to_grant = 0, to_refuse = 0, refused_so_far = 0;
std::int64_t mapped_bytes = 0;

// The pieces that the engine holds: open addressing, linear probing, deletion by moving up.
constexpr std::size_t places = std::size_t{1} << 17;
std::array<std::uintptr_t, places> table{};
std::size_t used = 0;

std::size_t home_of(std::uintptr_t piece) noexcept { return (piece >> 4) * 0x9e3779b97f4a7c15u >> (64 - 17); }

void add(void* memory) noexcept {
  if (used > places / 2) abort();  // a world holds far less
  const auto piece = reinterpret_cast<std::uintptr_t>(memory);
  std::size_t at = home_of(piece);
  while (table[at] != 0) at = (at + 1) % places;
  table[at] = piece;
  ++used;
}

void remove(void* memory) noexcept {
  if (used == 0) return;
  const auto piece = reinterpret_cast<std::uintptr_t>(memory);
  std::size_t hole = home_of(piece);
  while (table[hole] != piece) {
    if (table[hole] == 0) return;
    hole = (hole + 1) % places;
  }
  for (std::size_t at = (hole + 1) % places; table[at] != 0; at = (at + 1) % places) {
    if ((at - home_of(table[at])) % places < (at - hole) % places) continue;
    table[hole] = table[at];
    hole = at;
  }
  table[hole] = 0;
  --used;
}

// Whether this piece is refused. By the engine's calls only.
bool refuse() noexcept {
  if (depth == 0) return false;
  guard lock;
  if (!planning) return false;
  if (to_grant != 0) return --to_grant, false;
  if (to_refuse == 0) return false;
  --to_refuse;
  ++refused_so_far;
  return true;
}

void* kept(void* memory) noexcept {
  if (depth == 0 || memory == nullptr) return memory;
  guard lock;
  add(memory);
  return memory;
}

void forget(void* memory) noexcept {
  if (memory == nullptr) return;
  guard lock;
  remove(memory);
}

void map_changed(std::int64_t bytes) noexcept {
  guard lock;
  mapped_bytes += bytes;
}

}  // namespace

void plan_refusals(std::uint64_t granted, std::uint64_t refused) noexcept {
  guard lock;
  planning = true;
  to_grant = granted;
  to_refuse = refused;
}
void calm() noexcept {
  guard lock;
  planning = false;
}
bool planned() noexcept {
  guard lock;
  return planning && to_refuse != 0;
}
std::uint64_t refusals() noexcept {
  guard lock;
  return refused_so_far;
}
holding held() noexcept {
  guard lock;
  return {used, mapped_bytes};
}

engine_call::engine_call() noexcept { ++depth; }
engine_call::~engine_call() { --depth; }
own_code::own_code() noexcept : depth_(depth) { depth = 0; }
own_code::~own_code() { depth = depth_; }

}  // namespace detent::sim::allocations

namespace hooks = detent::sim::allocations;

extern "C" {

void* malloc(std::size_t bytes) {
  if (!hooks::refuse()) return hooks::kept(__libc_malloc(bytes));
  errno = ENOMEM;
  return nullptr;
}
// Never refused: the C library's own registration of thread-local destructors ends the program without it.
void* calloc(std::size_t number, std::size_t bytes) { return hooks::kept(__libc_calloc(number, bytes)); }
void* realloc(void* memory, std::size_t bytes) {
  if (hooks::refuse()) {
    errno = ENOMEM;
    return nullptr;
  }
  hooks::forget(memory);
  return hooks::kept(__libc_realloc(memory, bytes));
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  if (!hooks::refuse()) return hooks::kept(__libc_memalign(alignment, bytes));
  errno = ENOMEM;
  return nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  hooks::forget(memory);
  __libc_free(memory);
}

void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (hooks::refuse()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  auto* memory = reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, file, offset));
  if (memory != MAP_FAILED) hooks::map_changed(static_cast<std::int64_t>(bytes));
  return memory;
}
int munmap(void* memory, std::size_t bytes) noexcept {
  const auto result = static_cast<int>(syscall(SYS_munmap, memory, bytes));
  if (result == 0) hooks::map_changed(-static_cast<std::int64_t>(bytes));
  return result;
}
}
