// SPDX-License-Identifier: MIT
// A slot cache holds one thread's share of a pool's free slots.
#pragma once

#include <detent/alloc/magazine.hpp>
#include <detent/base/compiler.hpp>

#include <cstdint>

namespace detent::alloc {

// Two magazines: the loaded one, which serves, and a spare, which is full or empty. With the spare, a thread that goes
// back and forth over a magazine's edge does not visit the depot each time. Not thread-safe; belongs to one pool. Give
// it back with slot_pool::flush(), or just forget it when the pool is gone. A new cache holds nothing and costs
// nothing.
class slot_cache {
 public:
  // Returns true if no free slot is held here.
  bool empty() const noexcept { return empty_handed() && (spare_ == nullptr || spare_->count == 0); }
  // Returns true if the next allocate() leaves the fast path.
  bool empty_handed() const noexcept { return top_ == bottom_; }
  // Fetches the cache line that the next free() writes.
  void warm_up() const noexcept { base::prefetch_to_write(top_); }

 private:
  template <class Traits>
  friend class slot_pool;

  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(top_ - bottom_); }
  void load(magazine& next, std::uint32_t capacity) noexcept {
    loaded_ = &next;
    bottom_ = next.slots();
    top_ = bottom_ + next.count;
    end_ = bottom_ + capacity;
  }
  // Both magazines must be there.
  void exchange_magazines(std::uint32_t capacity) noexcept {
    loaded_->count = count();
    magazine* was_loaded = loaded_;
    load(*spare_, capacity);
    spare_ = was_loaded;
  }

  // The loaded magazine as a stack between two bounds, all null if there is none. So one comparison says whether it
  // serves, and its head is not touched.
  slot_index* top_ = nullptr;
  slot_index* bottom_ = nullptr;
  slot_index* end_ = nullptr;
  magazine* loaded_ = nullptr;
  magazine* spare_ = nullptr;
};

}  // namespace detent::alloc
