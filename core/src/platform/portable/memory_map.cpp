// SPDX-License-Identifier: MIT
#include "platform/memory_map.hpp"

#include <detent/alloc/platform/aligned_heap.hpp>

namespace detent::detail {

std::byte* map_pages(int file, std::size_t, std::size_t bytes) noexcept {
  return file >= 0 ? nullptr : alloc::take_from_heap(bytes, alloc::heap_page_bytes);
}

void unmap_pages(std::byte* pages, std::size_t) noexcept { alloc::give_to_heap(pages); }

}  // namespace detent::detail
