// SPDX-License-Identifier: MIT
#include "submission/entry_blocks.hpp"

#include "limits.hpp"

#include <detent/alloc/page_source.hpp>

#include <new>

namespace detent::detail {
namespace {

constexpr std::align_val_t block_alignment{alignof(entry_block)};
constexpr std::align_val_t page_alignment{4096};

}  // namespace

entry_blocks::entry_blocks(std::size_t reserve)
    : ahead_((reserve + entry_block::room - 1) / entry_block::room),
      in_use_(std::make_unique<block_array::word[]>(block_array::words_for(ahead_))),
      memory_(ahead_ == 0 ? nullptr
                          : static_cast<std::byte*>(operator new(ahead_ * sizeof(entry_block), page_alignment))) {}

entry_blocks::~entry_blocks() {
  for (page* each = pages_.load(base::relaxed); each != nullptr;) {  // relaxed: nobody else is left
    page* const next = each->next;
    operator delete(each, block_alignment);
    each = next;
  }
  if (memory_ != nullptr) operator delete(memory_, page_alignment);
}

entry_block* entry_blocks::take() noexcept {
  entry_block* taken = free_.pop();
  if (taken == nullptr) taken = carve();
  if (taken == nullptr) return grow();
  taken->link.store(nullptr, base::relaxed);  // relaxed: passes on with the entries
  return taken;
}

// One of those ahead that nobody uses, whether it has been used or not.
entry_block* entry_blocks::carve() noexcept {
  const std::size_t begin = first_free_.load(base::relaxed);  // relaxed: a hint
  std::size_t word = begin;
  std::byte* found = ahead().take(word);
  if (found == nullptr && begin != 0) {
    word = 0;
    found = ahead().take(word);
  }
  if (word != begin) first_free_.store(word, base::relaxed);  // relaxed: a hint
  return reinterpret_cast<entry_block*>(found);  // not made once more: others may look at a link that was theirs
}

void entry_blocks::give_back(entry_block& drained) noexcept {
  const block_array all = ahead();
  if (free_.depth() < limits::blocks_kept || !all.contains(&drained)) return give(drained);
  const std::size_t number = all.number_of(&drained);
  all.put_back(number, [](std::byte* at, std::size_t bytes) { alloc::page_source::give_back(at, bytes); });
  // Relaxed: a hint.
  if (number / block_array::items_a_word < first_free_.load(base::relaxed))
    first_free_.store(number / block_array::items_a_word, base::relaxed);
}

entry_block* entry_blocks::grow() noexcept {
  auto* const memory = static_cast<std::byte*>(operator new(page_bytes, block_alignment, std::nothrow));
  if (memory == nullptr) return nullptr;
  auto* const made = new (memory) page{pages_.load(base::relaxed)};  // relaxed: the exchange confirms it
  // Relaxed: only the destructor follows the links, when all threads have been waited for.
  while (!pages_.compare_exchange_weak(made->next, made, base::relaxed, base::relaxed)) {
  }
  for (std::size_t at = 2 * sizeof(entry_block); at != page_bytes; at += sizeof(entry_block))
    give(*new (memory + at) entry_block);
  return new (memory + sizeof(entry_block)) entry_block;
}

}  // namespace detent::detail
