// SPDX-License-Identifier: MIT
// Memory for floors, for wheels without an engine and for many handles, with huge pages asked for, as the engine does
// for its own.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace detent::bench {

// Value-initialised lines, so that every page is there before the measurement.
template <class Line>
class line_memory {
 public:
  explicit line_memory(std::size_t count) : bytes_(std::max<std::size_t>(count, 1) * sizeof(Line)) {
    void* mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    ::madvise(mapped, bytes_, MADV_HUGEPAGE);  // only advice: without it, the lines take longer to reach
    lines_ = static_cast<Line*>(mapped);
    std::uninitialized_value_construct_n(lines_, count);
  }
  line_memory(const line_memory&) = delete;
  line_memory& operator=(const line_memory&) = delete;
  ~line_memory() { ::munmap(lines_, bytes_); }

  Line* data() const noexcept { return lines_; }
  Line& operator[](std::size_t index) const noexcept { return lines_[index]; }

 private:
  std::size_t bytes_;
  Line* lines_ = nullptr;
};

}  // namespace detent::bench
