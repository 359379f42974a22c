// SPDX-License-Identifier: MIT
#include "strand_queue.hpp"

#include <bit>
#include <new>
#include <utility>

namespace detent::detail {
namespace {

// Fibonacci hashing (Knuth, TAOCP 6.4): 2^64 divided by the golden ratio. It spreads consecutive keys evenly.
constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;

}  // namespace

strand_queue::strand_queue(std::size_t strands)
    : strands_(std::bit_ceil(strands)), shift_(64 - static_cast<unsigned>(std::bit_width(strands_.size() - 1))) {}

strand& strand_queue::of(std::uint64_t key) noexcept {
  if (strands_.size() == 1) return strands_.front();  // a shift by 64 would be undefined
  return strands_[((key ^ (key >> 32)) * multiplier) >> shift_];
}

strand_block* strand_queue::new_block() noexcept {
  if (free_ != nullptr) {
    strand_block* taken = std::exchange(free_, free_->next);
    taken->next = nullptr;
    taken->begun = taken->filled = 0;
    return taken;
  }
  try {
    return &blocks_.emplace_back();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void strand_queue::make_ready(strand& which) noexcept {
  which.next_ready = nullptr;
  (ready_ == nullptr ? ready_ : last_ready_->next_ready) = &which;
  last_ready_ = &which;
}

bool strand_queue::put(strand& to, fired_timer&& work) noexcept {
  if (to.empty() || to.last->filled == limits::strand_places) {
    strand_block* block = new_block();
    if (block == nullptr) return false;
    (to.empty() ? to.first : to.last->next) = block;
    to.last = block;
  }
  to.last->work[to.last->filled++].emplace(std::move(work));
  ++to.size;
  ++size_;
  if (!std::exchange(to.busy, true)) make_ready(to);
  return true;
}

// Takes constant time, because it is called under a lock. The queue is walked without the lock, when it is run.
strand_batch strand_queue::take() noexcept {
  strand& from = *std::exchange(ready_, ready_->next_ready);
  const strand_batch taken{.of = &from, .first = from.first, .last = from.last, .size = from.size};
  from.first = nullptr;
  from.size = 0;
  size_ -= taken.size;
  return taken;
}

void strand_queue::give_back(const strand_batch& done, strand_block& reached, std::size_t left) noexcept {
  strand& to = *done.of;
  strand_block* used_up = done.first;  // up to the block before `kept`
  strand_block* kept = left == 0 ? nullptr : &reached;
  if (left != 0) {  // goes before timers that have come since
    done.last->next = to.first;
    if (to.empty()) to.last = done.last;
    to.first = kept;
    to.size += static_cast<std::uint32_t>(left);
    size_ += left;
  }
  while (used_up != kept) {
    strand_block* next = used_up->next;
    used_up->next = std::exchange(free_, used_up);
    used_up = next;
  }
  if (to.empty()) {
    to.busy = false;
  } else {
    make_ready(to);
  }
}

void strand_queue::clear() noexcept {
  for (strand& each : strands_) drop_blocks(std::exchange(each.first, nullptr));
  size_ = 0;
}

void drop_blocks(strand_block* first) noexcept {
  for (; first != nullptr; first = first->next) first->drop();
}

}  // namespace detent::detail
