// SPDX-License-Identifier: MIT
// Memory by the page, private to this process or shared through a file.
#pragma once

#include <cstddef>

namespace detent::detail {

// Zeroed memory in whole pages; resident only once it is written. With `file`, a descriptor, the bytes of that file
// from `offset` on, shared with others that map it; -1: of this process. Null: there is no memory, or the ground has no
// such files.
std::byte* map_pages(int file, std::size_t offset, std::size_t bytes) noexcept;
void unmap_pages(std::byte* pages, std::size_t bytes) noexcept;

}  // namespace detent::detail
