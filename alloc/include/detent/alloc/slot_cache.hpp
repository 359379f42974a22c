// SPDX-License-Identifier: MIT
// What one thread holds of a pool's free slots.
#pragma once

#include <detent/alloc/magazine.hpp>

#include <cstdint>

namespace detent::alloc {

// Two magazines: the loaded one, which serves, and a spare, full or empty, so that a thread that goes back and forth
// over a magazine's edge does not visit the depot each time. Not thread-safe; belongs to one pool; give it back with
// slot_pool::flush(), or just forget it when the pool is gone. A new cache holds nothing and costs nothing.
class slot_cache {
 public:
  // True when no free slot is held here.
  bool empty() const noexcept { return count_ == 0 && (spare_ == nullptr || spare_->count == 0); }

 private:
  template <class Traits>
  friend class slot_pool;

  void load(magazine& next, std::uint32_t capacity) noexcept {
    loaded_ = &next;
    count_ = next.count;
    room_ = capacity;
  }
  // Both magazines must be there.
  void exchange_magazines(std::uint32_t capacity) noexcept {
    loaded_->count = count_;
    magazine* was_loaded = loaded_;
    load(*spare_, capacity);
    spare_ = was_loaded;
  }

  magazine* loaded_ = nullptr;
  std::uint32_t count_ = 0;  // slots in the loaded magazine; kept here so that its head need not be touched
  std::uint32_t room_ = 0;   // what it holds at most: 0 without a magazine, so that one comparison serves for both
  magazine* spare_ = nullptr;
};

}  // namespace detent::alloc
