// SPDX-License-Identifier: MIT
// A page source that counts what it gives and refuses on demand.
#pragma once

#include <detent/alloc/page_source.hpp>
#include <detent/alloc/slot_pool.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace detent::alloc::testing {

inline std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

inline std::size_t resident_bytes(void* memory, std::size_t bytes) {
  const std::size_t page = page_bytes();
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  if (mincore(memory, bytes, pages.data()) != 0) return 0;
  std::size_t resident = 0;
  for (unsigned char each : pages) resident += each & 1U;
  return resident * page;
}

// Allocates nothing, so that counting does not change what is seen (sanitizers keep freed memory for a while).
inline std::size_t mappings() {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char text[4096];
  std::size_t lines = 0;
  for (ssize_t length; (length = read(file, text, sizeof(text))) > 0;) {
    lines += static_cast<std::size_t>(std::count(text, text + length, '\n'));
  }
  close(file);
  return lines;
}

// Returns the size of what is mapped; neighbours that became one mapping still count in full. It allocates nothing, and
// under an emulator asks only for the program.
inline std::uintptr_t mapped_bytes() {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char text[4096];
  std::uintptr_t bounds[2] = {}, sum = 0;
  std::size_t field = 0;  // of a line: two bounds, and the rest
  for (ssize_t length; (length = read(file, text, sizeof(text))) > 0;) {
    for (const char* each = text; each != text + length; ++each) {
      if (*each == '\n') {
        sum += bounds[1] - bounds[0];
        bounds[0] = bounds[1] = field = 0;
      } else if (field < 2) {
        std::uintptr_t digit = 0;
        if (std::from_chars(each, each + 1, digit, 16).ec == std::errc{})
          bounds[field] = bounds[field] * 16 + digit;
        else
          ++field;
      }
    }
  }
  close(file);
  return sum;
}

// Returns the kernel's flags of the mapping that contains this, two letters each, or an empty text if it reports none.
inline std::string flags_of(const void* memory) {
  std::ifstream file("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(memory);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
      inside = begin <= wanted && wanted < end;
    if (inside && line.rfind("VmFlags:", 0) == 0) return line + ' ';
  }
  return {};
}

class counting_source {
 public:
  void* allocate(std::size_t bytes, bool full = true) noexcept {
    return keep(refused() ? nullptr : pages_.allocate(bytes, full), bytes);
  }
  void release(void* memory, std::size_t bytes) noexcept { pages_.release(forget(memory, bytes), bytes); }
  void give_back(void* memory, std::size_t bytes) noexcept { pages_.give_back(memory, bytes); }
  // A touch of the page after it is a fault.
  void* allocate_sparse(std::size_t bytes) noexcept {
    void* memory = refused() ? nullptr : pages_.allocate_sparse(fenced(bytes));
    if (memory != nullptr) fence(memory, bytes, PROT_NONE);
    return keep(memory, bytes);
  }
  void release_sparse(void* memory, std::size_t bytes) noexcept {
    fence(memory, bytes, PROT_READ | PROT_WRITE);  // the heap, where it is from there, uses it again
    pages_.release_sparse(forget(memory, bytes), fenced(bytes));
  }

  // From now on: so many pieces more, then refusals.
  void allow(long pieces) { allowed_ = pieces; }
  long calls() const { return calls_; }
  std::size_t pieces() const { return held_.size(); }
  std::size_t misreleased() const { return misreleased_; }
  std::size_t resident() const {
    std::size_t sum = 0;
    for (const auto& [memory, bytes] : held_) sum += resident_bytes(memory, bytes);
    return sum;
  }

 private:
  static std::size_t fenced(std::size_t bytes) {
    return (bytes + page_bytes() - 1) / page_bytes() * page_bytes() + page_bytes();
  }
  static void fence(void* memory, std::size_t bytes, int protection) {
    mprotect(static_cast<std::byte*>(memory) + fenced(bytes) - page_bytes(), 1, protection);
  }
  bool refused() { return ++calls_, allowed_.fetch_sub(1) <= 0; }
  void* keep(void* memory, std::size_t bytes) {
    std::lock_guard guard(mutex_);
    if (memory != nullptr) held_[memory] = bytes;
    return memory;
  }
  void* forget(void* memory, std::size_t bytes) {
    std::lock_guard guard(mutex_);
    if (held_[memory] != bytes) ++misreleased_;
    held_.erase(memory);
    return memory;
  }

  page_source pages_{{.huge_pages = preference::off}};
  std::atomic<long> allowed_{1L << 40};
  std::atomic<long> calls_{0};
  std::mutex mutex_;
  std::map<void*, std::size_t> held_;
  std::size_t misreleased_ = 0;
};

// Edges come after a few operations instead of thousands.
struct small_traits {
  using source = counting_source;
  static constexpr unsigned slab_bits = 6;
  static constexpr std::uint32_t magazine_capacity = 4;
  static constexpr std::size_t max_slabs = 1024;
  static constexpr std::size_t cold_bytes = 24;
  static constexpr std::uint32_t shallow = 4, deep = 64;
};
using small_pool = slot_pool<small_traits>;

// The traits of engines, on pages that are counted.
struct counted : default_traits {
  using source = counting_source;
};

template <class Pool>
std::vector<slot_index> allocate_many(Pool& pool, slot_cache& cache, std::size_t number) {
  std::vector<slot_index> slots(number);
  for (slot_index& each : slots) each = pool.allocate(cache);
  return slots;
}

template <class Pool>
void free_all(Pool& pool, slot_cache& cache, const std::vector<slot_index>& slots) {
  for (slot_index each : slots) pool.free(cache, each);
}

inline std::vector<slot_index> sorted(std::vector<slot_index> slots) {
  std::sort(slots.begin(), slots.end());
  return slots;
}

}  // namespace detent::alloc::testing
