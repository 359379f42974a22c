// SPDX-License-Identifier: MIT
#include "submission/entry_blocks.hpp"

#include <new>

namespace detent::detail {
namespace {

constexpr std::align_val_t block_alignment{alignof(entry_block)};

}  // namespace

entry_blocks::entry_blocks(std::size_t reserve)
    : ahead_((reserve + entry_block::room - 1) / entry_block::room),
      memory_(ahead_ == 0 ? nullptr
                          : static_cast<std::byte*>(operator new(ahead_ * sizeof(entry_block), block_alignment))) {}

entry_blocks::~entry_blocks() {
  for (page* each = pages_.load(base::relaxed); each != nullptr;) {  // relaxed: nobody else is left
    page* const next = each->next;
    operator delete(each, block_alignment);
    each = next;
  }
  if (memory_ != nullptr) operator delete(memory_, block_alignment);
}

entry_block* entry_blocks::take() noexcept {
  entry_block* taken = free_.pop();
  if (taken == nullptr) taken = carve();
  if (taken == nullptr) return grow();
  taken->link.store(nullptr, base::relaxed);  // relaxed: passes on with the entries
  return taken;
}

// One of those ahead that has never been used.
entry_block* entry_blocks::carve() noexcept {
  // Relaxed, both: only has to be unique, and the counter must not wrap.
  if (carved_.load(base::relaxed) >= ahead_) return nullptr;
  const std::size_t place = carved_.fetch_add(1, base::relaxed);
  return place < ahead_ ? new (memory_ + place * sizeof(entry_block)) entry_block : nullptr;
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
