// SPDX-License-Identifier: MIT
// Aligned zeroed memory from the heap, for a ground that has no pages to ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace detent::alloc {

constexpr std::size_t heap_page_bytes = 4096;

// Returns zeroed memory from the heap, whose large pieces come from the system untouched. The heap aligns to a few
// bytes, so more is requested, and the word before the memory says where the piece begins. Returns null if there is no
// memory.
inline std::byte* take_from_heap(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t more = alignment + sizeof(void*);
  if (bytes > SIZE_MAX - more) return nullptr;
  auto* const heap = static_cast<std::byte*>(std::calloc(1, bytes + more));
  if (heap == nullptr) return nullptr;
  const std::size_t over = reinterpret_cast<std::uintptr_t>(heap + sizeof(void*)) % alignment;
  std::byte* const memory = heap + sizeof(void*) + (over == 0 ? 0 : alignment - over);
  ::new (static_cast<void*>(memory - sizeof(void*))) std::byte*(heap);
  return memory;
}

inline void give_to_heap(void* memory) noexcept {
  std::free(*std::launder(reinterpret_cast<std::byte**>(static_cast<std::byte*>(memory) - sizeof(void*))));
}

}  // namespace detent::alloc
