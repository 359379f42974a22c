// SPDX-License-Identifier: MIT
#include "wheel/due_queue.hpp"

#include <detent/base/compiler.hpp>

#include "limits.hpp"

#include <algorithm>
#include <new>
#include <span>

namespace detent::detail {
namespace {

bool later(const due_entry& a, const due_entry& b) noexcept { return fires_before(b, a); }

// To a capacity of `needed` at least. Without memory for that it stays as it is.
DETENT_NOINLINE DETENT_COLD void grow(std::vector<due_entry>& grown, std::size_t needed,
                                      const interlude& between) noexcept {
  if (needed <= grown.capacity()) return;
  try {
    std::vector<due_entry> larger;
    larger.reserve(2 * needed);
    in_stretches(grown.size(), between, [&](std::size_t begin, std::size_t end) {
      const auto from = grown.begin() + static_cast<std::ptrdiff_t>(begin);
      larger.insert(larger.end(), from, from + static_cast<std::ptrdiff_t>(end - begin));  // within its capacity
    });
    grown.swap(larger);
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace

DETENT_COLD due_queue::due_queue(std::size_t reserve) : keep_(std::max(reserve, limits::due_kept)) {
  for (std::vector<due_entry>* each : {&batch_, &late_, &fresh_}) each->reserve(reserve);
}

// Memory of a past peak is given back.
void due_queue::clear_batch() noexcept {
  batch_.clear();
  next_ = end_ = 0;
  if (batch_.capacity() > keep_) batch_.shrink_to_fit();
}

void due_queue::give_back() noexcept {
  if (!empty() || !fresh_.empty()) return;
  clear_batch();
  for (std::vector<due_entry>* each : {&late_, &fresh_})
    if (each->capacity() > keep_) each->shrink_to_fit();
}

// Called if there is no room left, or another batch is waiting.
DETENT_NOINLINE bool due_queue::collect_beyond(const due_entry& entry) noexcept {
  try {
    // Beside a batch that a bounded poll left over, it will find its place among the late ones.
    if (next_ != end_) make_room_for_late();
    fresh_.push_back(entry);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void due_queue::seal_collected(const interlude& between) noexcept {
  if (next_ == batch_.size()) {
    clear_batch();
    batch_.swap(fresh_);
    sort_due(batch_, fresh_, between);
    end_ = batch_.size();
    fresh_.clear();
    return;
  }
  // A batch that a bounded poll left over: keep its order, and let the new ones find their places.
  in_stretches(fresh_.size(), between, [this](std::size_t at, std::size_t end) noexcept {
    for (; at != end; ++at) {
      late_.push_back(fresh_[at]);  // collect() has made room
      std::push_heap(late_.begin(), late_.end(), later);
    }
  });
  fresh_.clear();
}

// Makes room for all that is collected, and one more. Throws bad_alloc.
void due_queue::make_room_for_late() {
  const std::size_t needed = late_.size() + fresh_.size() + 1;
  if (needed > late_.capacity()) late_.reserve(2 * needed);
}

void due_queue::make_room(std::size_t more, const interlude& between) noexcept {
  grow(fresh_, fresh_.size() + more, between);
  if (next_ != batch_.size()) grow(late_, late_.size() + fresh_.size() + more, between);
}

bool due_queue::insert(const due_entry& entry) noexcept {
  try {
    late_.push_back(entry);
  } catch (const std::bad_alloc&) {
    return false;
  }
  std::push_heap(late_.begin(), late_.end(), later);
  return true;
}

bool due_queue::may_contain(nanoseconds_t deadline) const noexcept {
  if (!late_.empty()) return true;
  const auto left = std::span(batch_).subspan(next_);
  const auto first = std::lower_bound(left.begin(), left.end(), deadline,
                                      [](const due_entry& due, nanoseconds_t wanted) { return due.deadline < wanted; });
  return first != left.end() && first->deadline == deadline;
}

due_entry due_queue::pop_late() noexcept {
  std::pop_heap(late_.begin(), late_.end(), later);
  due_entry first = late_.back();
  late_.pop_back();
  return first;
}

}  // namespace detent::detail
