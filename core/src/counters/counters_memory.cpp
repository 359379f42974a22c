// SPDX-License-Identifier: MIT
#include "counters/counters_memory.hpp"

#include <sys/mman.h>

namespace detent::detail {

counters_memory::~counters_memory() {
  for (std::size_t i = 0; i < count_; ++i) munmap(pieces_[i].at, pieces_[i].bytes);
}

std::byte* counters_memory::map(std::size_t offset, std::size_t bytes) noexcept {
  if (count_ == pieces_.size() || !make_room(offset, bytes)) return nullptr;
  const int kind = is_file() ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, file_, is_file() ? static_cast<off_t>(offset) : 0);
  if (made == MAP_FAILED) {
    problem_.clear();  // there is no memory, even if the file system has refused before
    return nullptr;
  }
  pieces_[count_] = {static_cast<std::byte*>(made), offset, bytes};
  return pieces_[count_++].at;
}

}  // namespace detent::detail
