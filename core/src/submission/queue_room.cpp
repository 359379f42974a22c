// SPDX-License-Identifier: MIT
#include "submission/queue_room.hpp"

#include <detent/alloc/page_source.hpp>

#include <algorithm>
#include <new>

namespace detent::detail {
namespace {

constexpr std::align_val_t page_alignment{4096};
constexpr std::size_t alignment = 16;
// A queue's index of its blocks has some 16 bytes for each, doubles as it grows, and keeps what it had before. Beside
// it a queue has a few hundred bytes.
constexpr std::size_t index_bytes = 64, queue_bytes = 1024;

std::size_t blocks_for(std::size_t entries) noexcept {
  // Every thread may have begun its first block and its last.
  return entries == 0 ? 0 : entries / limits::entries_a_block + 4 * limits::threads_ahead;
}

std::byte* allocate(std::size_t bytes) {
  return bytes == 0 ? nullptr : static_cast<std::byte*>(operator new(bytes, page_alignment));
}

}  // namespace

constinit thread_local queue_room* queue_room::used_ = nullptr;

queue_room::queue_room(std::size_t entries)
    : blocks_(blocks_for(entries)),
      rest_bytes_(blocks_ == 0 ? 0 : blocks_ * index_bytes + limits::threads_ahead * queue_bytes),
      in_use_(std::make_unique<block_array::word[]>(block_array::words_for(blocks_))),
      memory_(allocate(blocks_ * block_bytes + rest_bytes_)) {}

queue_room::~queue_room() {
  if (memory_ != nullptr) operator delete(memory_, page_alignment);
}

queue_room::use::use(queue_room& of) noexcept : outer_(used_) { used_ = &of; }
queue_room::use::~use() { used_ = outer_; }

// Anything about as large as a block may have the place of one.
void* queue_room::take(std::size_t bytes) noexcept {
  const bool like_a_block = bytes > block_bytes / 2 && bytes <= block_bytes;
  void* const ahead = like_a_block ? used_->take_block() : used_->take_of_rest(bytes);
  return ahead != nullptr ? ahead : operator new(bytes, std::nothrow);
}

void queue_room::give(void* taken) noexcept {
  queue_room& mine = *used_;
  if (mine.blocks().contains(taken)) return mine.give_block(taken);
  auto* const at = static_cast<std::byte*>(taken);
  if (at >= mine.rest() && at < mine.rest() + mine.rest_bytes_) return;
  operator delete(taken);
}

void* queue_room::take_block() noexcept {
  std::size_t begin = first_free_.load(base::relaxed);  // relaxed: a hint
  std::size_t word = begin;
  std::byte* const found = blocks().take(word);
  // Relaxed: a hint. Not where a block has been given back since.
  if (word != begin) first_free_.compare_exchange_strong(begin, word, base::relaxed, base::relaxed);
  return found;
}

void queue_room::give_block(const void* drained) noexcept {
  // The pages of the first ones stay as they are: threads that come and go use them again.
  std::byte* const kept = memory_ + limits::blocks_kept * block_bytes;
  const std::size_t number = blocks().number_of(drained);
  blocks().put_back(number, [kept](std::byte* at, std::size_t bytes) {
    std::byte* const end = at + bytes;
    at = std::max(at, kept);
    if (at < end) alloc::page_source::give_back(at, static_cast<std::size_t>(end - at));
  });
  // Relaxed: a hint.
  if (number / block_array::items_a_word < first_free_.load(base::relaxed))
    first_free_.store(number / block_array::items_a_word, base::relaxed);
}

void* queue_room::take_of_rest(std::size_t bytes) noexcept {
  bytes = (bytes + alignment - 1) / alignment * alignment;
  std::size_t at = given_.load(base::relaxed);  // relaxed, both: the exchange makes it the caller's alone
  while (rest_bytes_ - at >= bytes) {
    if (given_.compare_exchange_weak(at, at + bytes, base::relaxed, base::relaxed)) return rest() + at;
  }
  return nullptr;
}

}  // namespace detent::detail
