// SPDX-License-Identifier: MIT
#include "platform/memory_map.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace detent::detail {
namespace {

constexpr std::size_t page_bytes = 4096;

}  // namespace

// The heap's zeroed memory, which large pieces have from the system untouched. The heap aligns it to a few bytes, so it
// is asked for a page more, and the word before the first whole page says where it begins.
std::byte* map_pages(int file, std::size_t, std::size_t bytes) noexcept {
  if (file >= 0) return nullptr;
  auto* const heap = static_cast<std::byte*>(std::calloc(1, bytes + page_bytes + sizeof(void*)));
  if (heap == nullptr) return nullptr;
  const std::size_t over = reinterpret_cast<std::uintptr_t>(heap + sizeof(void*)) % page_bytes;
  std::byte* const pages = heap + sizeof(void*) + (over == 0 ? 0 : page_bytes - over);
  ::new (static_cast<void*>(pages - sizeof(void*))) std::byte*(heap);
  return pages;
}

void unmap_pages(std::byte* pages, std::size_t) noexcept {
  std::free(*std::launder(reinterpret_cast<std::byte**>(pages - sizeof(void*))));
}

}  // namespace detent::detail
