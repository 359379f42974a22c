// SPDX-License-Identifier: MIT
// The timers that have come due, in the order in which they fire.
#pragma once

#include <detent/base/compiler.hpp>

#include "wheel/due_sort.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent::detail {

// One thread. Sorted by (deadline, arming order). Orders are counted modulo 2^27. They are exact while fewer than 2^26
// armings of a thread lie between two of its equal deadlines; among late ones (insert), while the counts of the threads
// that share a deadline lie within half the circle.
class due_queue {
 public:
  // Makes room for `reserve` entries ahead, untouched until used. Throws bad_alloc.
  explicit due_queue(std::size_t reserve = 0);

  // Adds to the next batch, which seal() puts in order without needing memory. Returns false if there is no memory, and
  // nothing was added.
  bool collect(const due_entry& entry) noexcept;
  // Makes room for `more` such calls. They would find it in one go; this one calls `between` in between.
  void make_room(std::size_t more, const interlude& between) noexcept;
  void seal(const interlude& between = {}) noexcept {
    if (!fresh_.empty()) seal_collected(between);
  }
  // Adds it at its place among the entries that wait now. Returns false if there is no memory.
  bool insert(const due_entry& entry) noexcept;

  bool empty() const noexcept { return next_ == end_ && late_.empty(); }
  // The next entry to fire; the queue must not be empty.
  const due_entry& front() const noexcept { return late_is_first() ? late_.front() : batch_[next_]; }
  due_entry pop() noexcept;
  // The entry some places ahead in the batch, to fetch its node early; null near the end.
  const due_entry* ahead(std::size_t places) const noexcept {
    return next_ + places < end_ ? &batch_[next_ + places] : nullptr;
  }
  // Fetches the memory of the next few entries.
  void warm_up() const noexcept {
    base::prefetch_to_write(fresh_.data());
    base::prefetch_to_write(batch_.data());
  }
  // Returns whether an entry may have that deadline; also true if there is any late one. O(log n).
  bool may_contain(nanoseconds_t deadline) const noexcept;
  // Gives back the memory of a past peak; while something waits it stays.
  void give_back() noexcept;
  std::size_t size() const noexcept { return end_ - next_ + late_.size(); }

 private:
  bool late_is_first() const noexcept {
    return !late_.empty() && (next_ == batch_.size() || fires_before(late_.front(), batch_[next_]));
  }
  bool collect_beyond(const due_entry& entry) noexcept;
  void seal_collected(const interlude& between) noexcept;
  due_entry pop_late() noexcept;
  void clear_batch() noexcept;
  void make_room_for_late();

  std::vector<due_entry> batch_;    // sorted from next_ on
  std::size_t next_ = 0, end_ = 0;  // its size is the end, kept apart because each run needs it
  std::vector<due_entry> late_;     // a heap: entries that came while a batch was being fired
  std::vector<due_entry> fresh_;    // collected, not yet sealed
  std::size_t keep_;                // capacity that is not given back after a peak
};

inline due_entry due_queue::pop() noexcept {
  if (late_is_first()) [[unlikely]]
    return pop_late();
  return batch_[next_++];
}

inline bool due_queue::collect(const due_entry& entry) noexcept {
  if (next_ != end_ || fresh_.size() == fresh_.capacity()) [[unlikely]]
    return collect_beyond(entry);
  fresh_.push_back(entry);
  return true;
}

}  // namespace detent::detail
