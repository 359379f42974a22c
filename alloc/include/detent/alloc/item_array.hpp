// SPDX-License-Identifier: MIT
// Items side by side in pages, whose free pages go back to the kernel; a bitmap says which are in use.
#pragma once

#include <detent/base/atomic.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace detent::alloc {

// A view of the array. It consists of words, with a bit for each item that is in use, and of memory, both zeroed at
// first. The memory begins on a page, and its owner frees it. Any thread may take and put back, lock-free. An item
// comes as it was put back, or zeroed. Its memory stays mapped.
//
// The items of a word fill whole pages, because an item is a multiple of 64 bytes. So one exchange on one word decides
// who owns all items of a page while the kernel takes it.
template <std::size_t Bytes>
class item_array {
 public:
  using word = base::atomic<std::uint64_t>;
  static constexpr std::size_t page_bytes = 4096, items_a_word = 64;
  static_assert(Bytes % (page_bytes / items_a_word) == 0);
  static constexpr std::size_t words_for(std::size_t items) noexcept {
    return (items + items_a_word - 1) / items_a_word;
  }

  item_array(word* in_use, std::byte* memory, std::size_t count) noexcept
      : in_use_(in_use), memory_(memory), count_(count) {}

  // Takes the first free item from this word on, or returns null. `from` becomes the item's word, or the end.
  std::byte* take(std::size_t& from) const noexcept {
    for (; from != words_for(count_); ++from) {
      word& each = in_use_[from];
      std::uint64_t seen = each.load(base::relaxed);  // relaxed: (1) confirms it
      while (const std::uint64_t free = ~seen & items_of(from)) {
        // (1) acquire: pairs with (2), for a former holder and for the thread that gave back the page. relaxed on
        // failure: read again.
        if (each.compare_exchange_weak(seen, seen | lowest(free), base::acquire, base::relaxed))
          return memory_ + (from * items_a_word + static_cast<std::size_t>(std::countr_zero(free))) * Bytes;
      }
    }
    return nullptr;
  }

  // Returns the number of an item that is taken.
  std::size_t number_of(const void* item) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(item) - memory_) / Bytes;
  }
  bool contains(const void* item) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(item), begin = reinterpret_cast<std::uintptr_t>(memory_);
    return begin <= at && at < begin + count_ * Bytes;
  }
  // Puts an item back. give(memory, bytes) is called for pages that the kernel may have. If the items of a page are put
  // back at the same moment, the page may come only the next time.
  template <class Give>
  void put_back(std::size_t item, Give&& give) const noexcept {
    word& mine = in_use_[item / items_a_word];
    const std::uint64_t own = std::uint64_t{1} << item % items_a_word;
    // (2) release: publishes the item as it is left; pairs with (1) and (3).
    std::uint64_t seen = mine.fetch_and(~own, base::release) & ~own;
    const std::uint64_t absent = ~items_of(item / items_a_word);  // bits after the last item are not the array's
    std::size_t first = item % items_a_word * Bytes / page_bytes;
    std::size_t end = ((item % items_a_word + 1) * Bytes - 1) / page_bytes + 1;
    std::uint64_t claimed = 0;
    do {
      // Pages between the two have no item but this one.
      while (first != end && ((seen | absent) & items_on(first)) != 0) ++first;
      while (first != end && ((seen | absent) & items_on(end - 1)) != 0) --end;
      if (first == end) return;
      claimed = 0;
      for (std::size_t page = first; page != end; ++page) claimed |= items_on(page);
      // (3) acquire: pairs with (2), so that no thread writes to these items any more. relaxed on failure: read again.
    } while (!mine.compare_exchange_weak(seen, seen | claimed, base::acquire, base::relaxed));
    give(memory_ + item / items_a_word * items_a_word * Bytes + first * page_bytes, (end - first) * page_bytes);
    mine.fetch_and(~claimed, base::release);  // (2)
  }

 private:
  static std::uint64_t lowest(std::uint64_t of) noexcept { return of & -of; }
  static std::uint64_t below(std::size_t count) noexcept {
    return count >= items_a_word ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }
  // Returns the items that exist in the word.
  std::uint64_t items_of(std::size_t number) const noexcept { return below(count_ - number * items_a_word); }
  // Returns the items that have a part in that page of a word's pages.
  static std::uint64_t items_on(std::size_t page) noexcept {
    return below(((page + 1) * page_bytes + Bytes - 1) / Bytes) & ~below(page * page_bytes / Bytes);
  }

  word* in_use_;
  std::byte* memory_;
  std::size_t count_;
};

}  // namespace detent::alloc
