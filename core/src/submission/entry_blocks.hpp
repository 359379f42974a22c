// SPDX-License-Identifier: MIT
// The memory of the submission queue: blocks of entries, which producers fill and the driver gives back.
#pragma once

#include <detent/alloc/depot.hpp>
#include <detent/alloc/item_array.hpp>
#include <detent/base/atomic.hpp>

#include "limits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace detent::detail {

// Entries that lie side by side in a producer's queue. The link leads to the block that was filled next, and in the
// store to the one below.
struct alignas(64) entry_block {
  static constexpr std::size_t bytes = limits::block_bytes, room = (bytes - 16) / sizeof(std::uint64_t);

  base::atomic<entry_block*> link{nullptr};
  base::atomic<std::uint32_t> depth{0};  // in the store, as depot.hpp says
  std::array<std::uint64_t, room> entries;
};
static_assert(sizeof(entry_block) == entry_block::bytes);

// Free blocks. Any thread may take and give, both lock-free; only a take beyond what was made ahead and what came back
// allocates. What it holds is freed with it.
class entry_blocks {
 public:
  // Room for `reserve` entries ahead, untouched until used. Throws bad_alloc.
  explicit entry_blocks(std::size_t reserve);
  ~entry_blocks();
  entry_blocks(const entry_blocks&) = delete;
  entry_blocks& operator=(const entry_blocks&) = delete;

  // One that nobody else has; its link is null. Null: out of memory.
  entry_block* take() noexcept;
  // One that nobody else uses any more. Its memory stays mapped, as depot.hpp asks.
  void give(entry_block& drained) noexcept { free_.push(drained); }
  // The same at a thread's end: beyond a few, those made ahead go back to the kernel by the page.
  void give_back(entry_block& drained) noexcept;

 private:
  // Blocks are allocated by the page beyond those ahead; in place of its first one a page has the link to the others.
  struct page {
    page* next;
  };
  static constexpr std::size_t page_bytes = 4096;
  using block_array = alloc::item_array<entry_block::bytes>;

  block_array ahead() const noexcept { return {in_use_.get(), memory_, ahead_}; }
  entry_block* carve() noexcept;
  entry_block* grow() noexcept;

  alloc::basic_depot<entry_block> free_;
  const std::size_t ahead_;
  const std::unique_ptr<block_array::word[]> in_use_;  // of those ahead
  std::byte* const memory_;
  base::atomic<std::size_t> first_free_{0};  // a hint: the word of in_use_ where carving begins
  base::atomic<page*> pages_{nullptr};
};

}  // namespace detent::detail
