// SPDX-License-Identifier: MIT
#include "counters/counters_memory.hpp"

#include "platform/memory_map.hpp"

namespace detent::detail {

counters_memory::~counters_memory() {
  for (std::size_t i = 0; i < count_; ++i) unmap_pages(pieces_[i].at, pieces_[i].bytes);
}

std::byte* counters_memory::map(std::size_t offset, std::size_t bytes) noexcept {
  if (count_ == pieces_.size() || !make_room(offset, bytes)) return nullptr;
  std::byte* const made = map_pages(file_, offset, bytes);
  if (made == nullptr) {
    problem_.clear();  // there is no memory, even if the file system has refused before
    return nullptr;
  }
  pieces_[count_] = {made, offset, bytes};
  return pieces_[count_++].at;
}

}  // namespace detent::detail
