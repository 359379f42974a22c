// SPDX-License-Identifier: MIT
// The members of a group by name, which the driver sweeps when all are cancelled or resumed.
#pragma once

#include <detent/base/atomic.hpp>

#include "groups/roster_memory.hpp"
#include "limits.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace detent::detail {

// Used by the driver, except where a comment says otherwise. Members leave without telling: an entry whose node has
// begun another generation is stale. Stale entries are dropped in passing, two checks for each entry added, so that
// they are never much more than half; and by a walk, which is requested if too_stale() holds.
class group_roster {
 public:
  using entry = roster_memory::entry;

  // Returns false if there is no memory; the roster is no longer complete then.
  template <class IsAlive>
  bool add(entry added, const IsAlive& is_alive, roster_memory& memory) noexcept {
    for (int looks = 2; looks != 0 && !walked_ && head_ != nullptr; --looks) look_at_one(is_alive, memory);
    if (head_ == nullptr || in_head_ == roster_memory::chunk_entries) {
      chunk* const made = memory.take();
      if (made == nullptr) {
        complete_ = false;
        return false;
      }
      made->next = head_;
      head_ = made;
      in_head_ = 0;
    }
    head_->entries[in_head_++] = added;
    set_size(size() + 1);
    return true;
  }
  // Returns whether all members that were added are in it.
  bool complete() const noexcept { return complete_; }

  // --- A walk, from the last entry added to the first, however long it takes. Entries added during it are left out.
  void begin_walk() noexcept {
    walk_ = {head_, in_head_};
    walked_ = true;
  }
  bool is_through() const noexcept { return walk_.in == nullptr; }
  // Returns the next entry.
  entry step() noexcept {
    seen_ = {walk_.in, --walk_.left};
    const entry found = seen_.in->entries[seen_.left];
    if (walk_.left == 0) walk_ = first_of(walk_.in->next);
    return found;
  }
  // Drops the entry that step() returned last.
  void drop(roster_memory& memory) noexcept { remove(seen_, memory); }
  void end_walk() noexcept {
    walk_ = {};
    walked_ = false;
  }

  // --- Any thread

  // Relaxed: only the driver changes it, and other threads need only a guess.
  std::size_t size() const noexcept { return size_.load(base::relaxed); }
  // Returns whether a walk pays, because few of the entries are among the group's `pending` ones.
  bool too_stale(std::uint64_t pending) const noexcept { return size() > limits::few_members && size() / 4 > pending; }
  // Makes all entries stale, for the next group in its place. Called by the holder of the last reference to the group.
  void forget() noexcept { complete_ = true; }

 private:
  using chunk = roster_memory::chunk;
  // The entries below `left` of a chunk, and all those of the chunks after it.
  struct place {
    chunk* in = nullptr;
    std::uint32_t left = 0;
  };
  // All chunks except the head are full.
  static place first_of(chunk* full) noexcept { return {full, full == nullptr ? 0 : roster_memory::chunk_entries}; }
  // Relaxed: as in size().
  void set_size(std::size_t size) noexcept { size_.store(size, base::relaxed); }

  template <class IsAlive>
  void look_at_one(const IsAlive& is_alive, roster_memory& memory) noexcept {
    if (hand_.left == 0) hand_ = first_of(hand_.in == nullptr ? nullptr : hand_.in->next);
    if (hand_.in == nullptr) hand_ = {head_, in_head_};
    --hand_.left;
    if (!is_alive(hand_.in->entries[hand_.left])) remove({hand_.in, hand_.left}, memory);
  }
  // Removes an entry; the last one takes its place.
  void remove(place at, roster_memory& memory) noexcept {
    at.in->entries[at.left] = head_->entries[--in_head_];
    set_size(size() - 1);
    if (hand_.in == head_ && hand_.left > in_head_) hand_.left = in_head_;
    if (in_head_ != 0) return;
    chunk* const emptied = std::exchange(head_, head_->next);
    in_head_ = first_of(head_).left;
    if (hand_.in == emptied) hand_ = first_of(head_);
    memory.give_back(*emptied);
  }

  chunk* head_ = nullptr;
  std::uint32_t in_head_ = 0;
  place hand_, walk_, seen_;
  bool complete_ = true;
  bool walked_ = false;
  base::atomic<std::size_t> size_{0};
};

}  // namespace detent::detail
