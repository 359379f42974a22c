// SPDX-License-Identifier: MIT
#include "due_queue.hpp"

#include <algorithm>
#include <new>

namespace detent::detail {
namespace {

constexpr std::uint32_t half_range = 1u << (state_word::order_bits - 1);

bool raw_before(const due_entry& a, const due_entry& b) noexcept {
  return a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order;
}

// Serial comparison: right for two armings of one thread, wherever its count has wrapped.
bool before(const due_entry& a, const due_entry& b) noexcept {
  if (a.deadline != b.deadline) return a.deadline < b.deadline;
  return a.order != b.order && ((b.order - a.order) & state_word::order_mask) < half_range;
}

bool later(const due_entry& a, const due_entry& b) noexcept { return before(b, a); }

// Serial order is no order for sorting when several threads' counts lie around the circle. So a run of equal deadlines
// is sorted by plain value, and if it spans half the circle, begins anew behind its widest gap: where a count wrapped.
void unwrap(std::vector<due_entry>::iterator first, std::vector<due_entry>::iterator last) noexcept {
  if (std::prev(last)->order - first->order < half_range) return;
  auto widest = first;
  std::uint32_t gap = (first->order - std::prev(last)->order) & state_word::order_mask;
  for (auto each = std::next(first); each != last; ++each) {
    std::uint32_t width = each->order - std::prev(each)->order;
    if (width > gap) {
      gap = width;
      widest = each;
    }
  }
  std::rotate(first, widest, last);
}

void sort_batch(std::vector<due_entry>& batch) noexcept {
  if (batch.size() < 2) return;
  // A slot's list runs from the newest to the oldest, so that the batch is often exactly reversed.
  if (std::is_sorted(batch.rbegin(), batch.rend(), raw_before)) {
    std::reverse(batch.begin(), batch.end());
  } else if (!std::is_sorted(batch.begin(), batch.end(), raw_before)) {
    std::sort(batch.begin(), batch.end(), raw_before);
  }
  for (auto first = batch.begin(); first != batch.end();) {
    auto last = std::next(first);
    while (last != batch.end() && last->deadline == first->deadline) ++last;
    unwrap(first, last);
    first = last;
  }
}

// Appends; false where memory is refused.
bool append(std::vector<due_entry>& to, const due_entry& entry) noexcept {
  try {
    to.push_back(entry);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

due_queue::due_queue(std::size_t reserve) : keep_(std::max<std::size_t>(reserve, 1u << 16)) {
  for (std::vector<due_entry>* each : {&batch_, &late_, &fresh_}) each->reserve(reserve);
}

// Memory of a past peak is given back.
void due_queue::clear_batch() noexcept {
  batch_.clear();
  next_ = 0;
  if (batch_.capacity() > keep_) batch_.shrink_to_fit();
}

bool due_queue::collect(const due_entry& entry) noexcept { return append(fresh_, entry); }

void due_queue::seal() noexcept {
  if (fresh_.empty()) return;
  if (next_ == batch_.size()) {
    clear_batch();
    batch_.swap(fresh_);
    sort_batch(batch_);
    return;
  }
  // A batch that a bounded poll left over: keep its order, and let the new ones find their places.
  std::size_t kept = 0;
  for (const due_entry& entry : fresh_) {
    if (!insert(entry)) fresh_[kept++] = entry;  // out of memory: stays collected until the next seal
  }
  fresh_.resize(kept);
}

bool due_queue::insert(const due_entry& entry) noexcept {
  if (!append(late_, entry)) return false;
  std::push_heap(late_.begin(), late_.end(), later);
  return true;
}

bool due_queue::late_is_first() const noexcept {
  return !late_.empty() && (next_ == batch_.size() || before(late_.front(), batch_[next_]));
}

const due_entry& due_queue::front() const noexcept { return late_is_first() ? late_.front() : batch_[next_]; }

void due_queue::pop() noexcept {
  if (late_is_first()) {
    std::pop_heap(late_.begin(), late_.end(), later);
    late_.pop_back();
  } else {
    ++next_;
  }
}

}  // namespace detent::detail
