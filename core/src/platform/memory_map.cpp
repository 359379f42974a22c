// SPDX-License-Identifier: MIT
#include "platform/memory_map.hpp"

#include <detent/base/platform/ground.hpp>

#if defined(DETENT_GROUND_LINUX)
#include <sys/mman.h>
#else
#include <detent/alloc/platform/aligned_heap.hpp>
#endif

namespace detent::detail {

#if defined(DETENT_GROUND_LINUX)
std::byte* map_pages(int file, std::size_t offset, std::size_t bytes) noexcept {
  const int kind = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, file, file >= 0 ? static_cast<off_t>(offset) : 0);
  return made != MAP_FAILED ? static_cast<std::byte*>(made) : nullptr;
}

void unmap_pages(std::byte* pages, std::size_t bytes) noexcept { munmap(pages, bytes); }
#else
std::byte* map_pages(int file, std::size_t, std::size_t bytes) noexcept {
  return file >= 0 ? nullptr : alloc::take_from_heap(bytes, alloc::heap_page_bytes);
}

void unmap_pages(std::byte* pages, std::size_t) noexcept { alloc::give_to_heap(pages); }
#endif

}  // namespace detent::detail
