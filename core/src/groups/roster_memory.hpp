// SPDX-License-Identifier: MIT
#pragma once

#include "limits.hpp"
#include "timer/node.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace detent::detail {

// The memory of the rosters: chunks that go from one group to the next, so that all rosters together take the memory
// that their members took when there were most of them. Used by the driver alone.
class roster_memory {
 public:
  struct entry {
    node_index index;
    std::uint32_t generation;
  };
  static constexpr std::uint32_t chunk_entries = 7;
  struct chunk {
    chunk* next;
    std::array<entry, chunk_entries> entries;
  };
  static_assert(sizeof(chunk) == 64, "a cache line");

  // Allocates this many chunks ahead, untouched until used. Throws bad_alloc.
  explicit roster_memory(std::size_t ahead = 0) {
    if (ahead != 0) add_slab(ahead);
  }
  // Returns null if there is no memory.
  chunk* take() noexcept {
    if (free_ != nullptr) return std::exchange(free_, free_->next);
    try {
      if (fresh_ == end_) add_slab(std::max(made_, limits::first_roster_chunks));  // twice as many as there were
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    return fresh_++;
  }
  void give_back(chunk& unused) noexcept {
    unused.next = free_;
    free_ = &unused;
  }

 private:
  void add_slab(std::size_t chunks) {
    slabs_.push_back(std::unique_ptr<chunk[]>(new chunk[chunks]));  // not zeroed; libc++ 14 has no function for it
    fresh_ = slabs_.back().get();
    end_ = fresh_ + chunks;
    made_ += chunks;
  }

  std::vector<std::unique_ptr<chunk[]>> slabs_;
  chunk *fresh_ = nullptr, *end_ = nullptr;  // in the last slab, never used yet
  std::size_t made_ = 0;
  chunk* free_ = nullptr;  // given back, linked
};

}  // namespace detent::detail
