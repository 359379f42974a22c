// SPDX-License-Identifier: MIT
// Memory by the page, private to this process or shared through a file.
#pragma once

#include <cstddef>

namespace detent::detail {

// Returns zeroed memory in whole pages, which becomes resident only when it is written. If `file` is a descriptor, the
// memory is that file's from `offset` on, shared with others that map it. If it is -1, the memory is this process's
// own. Returns null if there is no memory or the platform has no such files.
std::byte* map_pages(int file, std::size_t offset, std::size_t bytes) noexcept;
void unmap_pages(std::byte* pages, std::size_t bytes) noexcept;

}  // namespace detent::detail
