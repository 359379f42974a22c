// SPDX-License-Identifier: MIT
// The pool, shrunk: two slots to the slab and one to the magazine, in memory of the model.
#pragma once

#include <detent/alloc/slot_pool.hpp>

#include <proofs/explorer/explore.hpp>

#include <cstddef>
#include <cstdint>

namespace model {

// Zeroed memory of the model, as long as it is willing. What is not released is a leak.
class model_pages {
 public:
  // Refuses sparse memory, of which magazines are made, after so many pieces.
  explicit model_pages(unsigned sparse_pieces = UINT32_MAX) { sparse_left = sparse_pieces; }

  void* allocate(std::size_t bytes, bool = true) noexcept { return machine::instance().allocate(bytes, 64, "slab"); }
  void release(void* memory, std::size_t) noexcept { machine::instance().free(memory); }
  void* allocate_sparse(std::size_t bytes) noexcept {
    if (sparse_left == 0) return nullptr;
    --sparse_left;
    return machine::instance().allocate(bytes, 64, "sparse");
  }
  void release_sparse(void* memory, std::size_t) noexcept { machine::instance().free(memory); }
  void give_back(void*, std::size_t) noexcept {}

 private:
  // Outside the model's memory: the pages are the kernel's, with which no thread races.
  static inline unsigned sparse_left;
};

struct shrunk_traits {
  using source = model_pages;
  static constexpr unsigned slab_bits = 1;
  static constexpr std::uint32_t magazine_capacity = 1;
  static constexpr std::size_t max_slabs = 4;
  static constexpr std::size_t cold_bytes = 0;
  static constexpr std::uint32_t shallow = 0, deep = 1;
};

using shrunk_pool = detent::alloc::slot_pool<shrunk_traits>;

// A thread's dealings with the pool. The owner of a slot writes to it plainly, so that two owners are found.
class pool_user {
 public:
  explicit pool_user(shrunk_pool& pool) : pool_(pool) {}

  detent::alloc::slot_index take() {
    detent::alloc::slot_index slot = pool_.allocate(cache_);
    if (slot != detent::alloc::no_slot) {
      int& memory = *static_cast<int*>(pool_.hot(slot));
      require(memory == 0, "a slot with two owners");
      memory = 1;
    }
    return slot;
  }
  void give(detent::alloc::slot_index slot) {
    if (slot == detent::alloc::no_slot) return;
    *static_cast<int*>(pool_.hot(slot)) = 0;
    pool_.free(cache_, slot);
  }
  void leave() { pool_.flush(cache_); }

 private:
  shrunk_pool& pool_;
  detent::alloc::slot_cache cache_;
};

}  // namespace model
