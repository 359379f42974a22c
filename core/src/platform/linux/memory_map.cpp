// SPDX-License-Identifier: MIT
#include "platform/memory_map.hpp"

#include <sys/mman.h>

namespace detent::detail {

std::byte* map_pages(int file, std::size_t offset, std::size_t bytes) noexcept {
  const int kind = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, file, file >= 0 ? static_cast<off_t>(offset) : 0);
  return made != MAP_FAILED ? static_cast<std::byte*>(made) : nullptr;
}

void unmap_pages(std::byte* pages, std::size_t bytes) noexcept { munmap(pages, bytes); }

}  // namespace detent::detail
