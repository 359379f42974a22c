// SPDX-License-Identifier: MIT
// A magazine holds a few hundred free slots, which travel between threads together.
#pragma once

#include <detent/base/atomic.hpp>

#include <cstdint>

namespace detent::alloc {

using slot_index = std::uint32_t;
inline constexpr slot_index no_slot = 0xffffffff;

// The head of a magazine. Its slots follow it in memory, as many as the pool's magazine_capacity. Everything except the
// link belongs to the holder of the magazine. Its memory stays mapped as long as the pool exists, so a stale read of
// `link`, by a thread that lost the race for this magazine, is harmless.
struct magazine {
  base::atomic<magazine*> link{nullptr};
  std::uint32_t count = 0;  // valid while the magazine is not a cache's loaded one, which counts for itself
  base::atomic<std::uint32_t> depth{0};  // how many there are in the depot from this one on down

  slot_index* slots() noexcept { return reinterpret_cast<slot_index*>(this + 1); }
};
static_assert(sizeof(magazine) % alignof(slot_index) == 0, "the slots begin right after");

}  // namespace detent::alloc
