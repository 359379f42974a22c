// SPDX-License-Identifier: MIT
#include <detent/alloc/page_source.hpp>

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "platform/linux/jemalloc.hpp"

namespace detent::alloc {

namespace {

constexpr std::size_t nodes_at_most = 1024;
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which the headers of older C libraries lack
constexpr const char* huge_page_policy = "/sys/kernel/mm/transparent_hugepage/enabled";

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept { return (bytes + unit - 1) / unit * unit; }

void* map(std::size_t bytes, int extra_flags) noexcept {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | extra_flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Maps more than needed and trims both ends, so that nothing but the aligned piece stays mapped.
void* map_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > SIZE_MAX - alignment) return nullptr;
  auto* wide = static_cast<std::byte*>(map(bytes + alignment, 0));
  if (wide == nullptr) return nullptr;
  std::size_t head = (alignment - reinterpret_cast<std::uintptr_t>(wide) % alignment) % alignment;
  if (head != 0) munmap(wide, head);
  munmap(wide + head + bytes, alignment - head);
  return wide + head;
}

int populate(void* memory, std::size_t bytes) noexcept {
  if (madvise(memory, bytes, populate_write) == 0) return 0;
  if (errno != EINVAL) return errno;
  // For a kernel before 5.14: writes to each page instead. The memory is new, so a zero changes nothing.
  auto* touched = static_cast<volatile std::byte*>(memory);
  for (std::size_t at = 0; at < bytes; at += page_bytes()) touched[at] = std::byte{0};
  return 0;
}

bool huge_pages_ruled_out() noexcept {
  int file = open(huge_page_policy, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  char text[64];
  ssize_t length = read(file, text, sizeof(text));
  close(file);
  return length <= 0 ||
         std::string_view(text, static_cast<std::size_t>(length)).find("[never]") != std::string_view::npos;
}

std::string error_text(int error) { return std::strerror(error); }

// Locking was refused because of the limit, unless there is none.
std::string explain_lock(const std::string& reason) {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return reason;
  return reason + "; needs CAP_IPC_LOCK or a greater RLIMIT_MEMLOCK, which is " +
         std::to_string(limit.rlim_cur / 1024) +
         " KiB; LimitMEMLOCK=infinity in the service, ulimit -l unlimited, or setcap cap_ipc_lock+ep PROGRAM";
}

}  // namespace

page_source::page_source(const memory_options& options) noexcept : options_(options) {
  if (options_.source != memory_source::jemalloc || !jemalloc::present()) return;
  refusal_.error = jemalloc::create_arena(arena_);
  arena_exists_ = refusal_.error == 0;
}

page_source::~page_source() {
  if (arena_exists_) jemalloc::destroy_arena(arena_);
}

void* page_source::obtain(std::size_t bytes) noexcept {
  std::size_t alignment = bytes >= huge_page_bytes ? huge_page_bytes : page_bytes();
  if (options_.source == memory_source::jemalloc) {
    return arena_exists_ ? jemalloc::allocate(arena_, bytes, alignment) : nullptr;
  }
  return alignment == page_bytes() ? map(bytes, 0) : map_aligned(bytes, alignment);
}

void page_source::discard(void* memory, std::size_t bytes) noexcept {
  if (options_.source == memory_source::mmap) {
    munmap(memory, bytes);
    return;
  }
  // jemalloc may hand these pages to another user, who has asked for neither.
  if (options_.lock != preference::off) munlock(memory, bytes);
  if (options_.numa_node) syscall(SYS_mbind, memory, bytes, MPOL_DEFAULT, nullptr, 0, 0);
  jemalloc::release(memory);
}

page_source::refusal page_source::bind(void* memory, std::size_t bytes) const noexcept {
  if (!options_.numa_node) return {};
  if (*options_.numa_node < 0 || static_cast<std::size_t>(*options_.numa_node) >= nodes_at_most) {
    return {problem::numa_node, EINVAL};
  }
  constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
  auto node = static_cast<std::size_t>(*options_.numa_node);
  std::array<unsigned long, nodes_at_most / word_bits> nodes{};
  nodes[node / word_bits] = 1UL << node % word_bits;
  // The kernel reads one bit fewer than it is passed.
  if (syscall(SYS_mbind, memory, bytes, MPOL_BIND, nodes.data(), nodes_at_most + 1, 0) != 0) {
    return {problem::numa_node, errno};
  }
  return {};
}

// The order matters: a page must be huge and bound before it is touched, and locking touches it. It uses mlock2,
// because the sanitizers replace mlock by nothing.
page_source::refusal page_source::prepare(void* memory, std::size_t bytes, bool full) const noexcept {
  if (bytes >= huge_page_bytes) {
    const bool huge = options_.huge_pages == preference::require || (full && options_.huge_pages != preference::off);
    // A kernel without transparent huge pages refuses both kinds of advice, and does what the second asks for anyway.
    if (madvise(memory, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0 &&
        options_.huge_pages == preference::require) {
      return {problem::huge_pages, errno};
    }
  }
  if (refusal refused = bind(memory, bytes); refused.what != problem::none) return refused;
  if (options_.prefault != preference::off) {
    int error = populate(memory, bytes);
    if (error != 0 && options_.prefault == preference::require) return {problem::prefault, error};
  }
  if (options_.lock != preference::off && mlock2(memory, bytes, 0) != 0 && options_.lock == preference::require) {
    return {problem::lock, errno};
  }
  return {};
}

void* page_source::allocate(std::size_t bytes, bool full) noexcept {
  if (bytes > SIZE_MAX - page_bytes()) return nullptr;
  bytes = round_up(bytes, page_bytes());
  void* memory = obtain(bytes);
  if (memory == nullptr || prepare(memory, bytes, full).what == problem::none) return memory;
  discard(memory, bytes);
  return nullptr;
}

void page_source::release(void* memory, std::size_t bytes) noexcept { discard(memory, round_up(bytes, page_bytes())); }

void page_source::touch(void* memory, std::size_t bytes) noexcept {
  madvise(memory, bytes, populate_write);  // if refused, pages are touched at first use
}

void page_source::give_back(void* memory, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = round_up(begin, page_bytes()), last = (begin + bytes) / page_bytes() * page_bytes();
  // If it is refused, the memory merely stays.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void* page_source::allocate_sparse(std::size_t bytes) noexcept {
  if (bytes > SIZE_MAX - page_bytes()) return nullptr;
  bytes = round_up(bytes, page_bytes());
  void* memory = map(bytes, MAP_NORESERVE);
  if (memory == nullptr) return nullptr;
  // If it is refused, the kernel has no huge pages anyway.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  bool refused = bind(memory, bytes).what != problem::none;
  if (!refused && options_.lock != preference::off) {
    refused = mlock2(memory, bytes, MLOCK_ONFAULT) != 0 && options_.lock == preference::require;
  }
  if (!refused) return memory;
  munmap(memory, bytes);
  return nullptr;
}

void page_source::release_sparse(void* memory, std::size_t bytes) noexcept {
  munmap(memory, round_up(bytes, page_bytes()));
}

page_source::problem page_source::check() noexcept {
  if (options_.source == memory_source::jemalloc && !arena_exists_) return problem::jemalloc_absent;
  if (options_.huge_pages == preference::require && huge_pages_ruled_out()) {
    refusal_ = {problem::huge_pages, 0};
    return problem::huge_pages;
  }
  void* memory = obtain(huge_page_bytes);
  if (memory == nullptr) {
    refusal_ = {problem::no_memory, options_.source == memory_source::mmap ? errno : ENOMEM};
    return problem::no_memory;
  }
  refusal_ = prepare(memory, huge_page_bytes, true);
  discard(memory, huge_page_bytes);
  return refusal_.what;
}

std::string page_source::explain(problem found) const {
  const std::string piece = " of " + std::to_string(huge_page_bytes) + " bytes: ";
  const std::string reason = error_text(refusal_.error);
  switch (found) {
    case problem::none:
    case problem::give_back: return {};
    case problem::jemalloc_absent:
      if (refusal_.error != 0) return "memory.source = jemalloc: no arena of its own: " + reason;
      return "memory.source = jemalloc: the program does not contain jemalloc (link it with -ljemalloc)";
    case problem::huge_pages:
      if (refusal_.error != 0) return "memory.huge_pages = require: madvise(MADV_HUGEPAGE)" + piece + reason;
      return std::string("memory.huge_pages = require: ") + huge_page_policy +
             " is \"never\" or missing; write madvise to it, or take attempt";
    case problem::prefault: return "memory.prefault = require: madvise(MADV_POPULATE_WRITE)" + piece + reason;
    case problem::lock: return "memory.lock = require: mlock" + piece + explain_lock(reason);
    case problem::numa_node: {
      const std::string node = std::to_string(options_.numa_node.value_or(-1));
      const std::string folder = "/sys/devices/system/node/node" + node;
      if (access(folder.c_str(), F_OK) != 0)
        return "memory.numa_node = " + node + ": there is no " + folder + "; numactl --hardware lists the nodes";
      return "memory.numa_node = " + node + ": mbind" + piece + reason;
    }
    case problem::no_memory:
      return "memory: " + std::string(options_.source == memory_source::mmap ? "mmap" : "mallocx") + piece + reason;
  }
  return {};
}

}  // namespace detent::alloc
