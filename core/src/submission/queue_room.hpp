// SPDX-License-Identifier: MIT
// The memory of the queues of an engine's threads: memory that was set aside with the engine, and beyond it the heap's.
#pragma once

#include <detent/alloc/item_array.hpp>
#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>

#include "limits.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace detent::detail {

// Any thread takes and gives, lock-free except for the heap. Blocks of entries come back to all threads when their
// queue ends, and whole pages of them to the kernel. The other parts of a queue are handed out once.
//
// Moodycamel's queue requests memory by static functions, which serve the room of the calling thread's innermost `use`.
class queue_room {
 public:
  // Has room for `entries` entries ahead, untouched until used, or none if it is 0. Throws bad_alloc.
  explicit queue_room(std::size_t entries);
  ~queue_room();
  queue_room(const queue_room&) = delete;
  queue_room& operator=(const queue_room&) = delete;

  class use {
   public:
    explicit use(queue_room& of) noexcept;
    ~use();
    use(const use&) = delete;
    use& operator=(const use&) = delete;

   private:
    queue_room* const outer_;
  };

  // To be called within a `use`. Returns null if there is no memory.
  static void* take(std::size_t bytes) noexcept;
  static void give(void* taken) noexcept;

 private:
  // A block of entries with the fields that moodycamel has beside them, in lines.
  static constexpr std::size_t block_bytes = (limits::entries_a_block * sizeof(std::uint64_t) + 64 + 63) / 64 * 64;
  using block_array = alloc::item_array<block_bytes>;

  block_array blocks() const noexcept { return {in_use_.get(), memory_, blocks_}; }
  std::byte* rest() const noexcept { return memory_ + blocks_ * block_bytes; }
  void* take_block() noexcept;
  void* take_of_rest(std::size_t bytes) noexcept;
  void give_block(const void* drained) noexcept;

  DETENT_INITIAL_EXEC static constinit thread_local queue_room* used_;

  const std::size_t blocks_, rest_bytes_;
  const std::unique_ptr<block_array::word[]> in_use_;
  std::byte* const memory_;                  // the blocks, and then the rest; null: nothing was set aside
  base::atomic<std::size_t> first_free_{0};  // a hint: the word of in_use_ where the search begins
  base::atomic<std::size_t> given_{0};       // of the rest
};

}  // namespace detent::detail
