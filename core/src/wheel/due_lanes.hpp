// SPDX-License-Identifier: MIT
// What has come due, the higher lanes first.
#pragma once

#include <detent/options.hpp>

#include "limits.hpp"
#include "wheel/due_queue.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace detent::detail {

// One thread. A due queue for the bulk and one for each higher lane; while these are empty they cost one check.
class due_lanes {
 public:
  // Room ahead for `reserve` entries of the bulk, and for as many of each higher lane, but of these not more than
  // limits::higher_ahead. Throws bad_alloc.
  explicit due_lanes(std::size_t reserve)
      : bulk_(reserve),
        higher_{due_queue(std::min(reserve, limits::higher_ahead)), due_queue(std::min(reserve, limits::higher_ahead)),
                due_queue(std::min(reserve, limits::higher_ahead))} {}

  // Adds to the next batch of its lane. False: out of memory.
  bool collect(std::uint8_t lane, const due_entry& entry) noexcept {
    return lane == 0 ? bulk_.collect(entry) : collect_higher(lane, entry);
  }
  // Of the bulk: makes room for `more` to be collected; calls `between` every now and then, as the next does.
  void make_room(std::size_t more, const interlude& between) noexcept { bulk_.make_room(more, between); }
  // Puts the batches in order.
  void seal(const interlude& between) noexcept { bulk_.seal(between); }
  void seal_higher() noexcept;
  // Adds at its place among what waits now. False: out of memory.
  bool insert(std::uint8_t lane, const due_entry& entry) noexcept {
    return lane == 0 ? bulk_.insert(entry) : insert_higher(lane, entry);
  }

  bool empty() const noexcept { return waiting_ == 0 && bulk_.empty(); }
  bool has_higher() const noexcept { return waiting_ != 0; }
  // Of the bulk: whether there is none, the next to fire, and whether one may have that deadline.
  bool bulk_empty() const noexcept { return bulk_.empty(); }
  const due_entry& bulk_front() const noexcept { return bulk_.front(); }
  bool bulk_may_contain(nanoseconds_t deadline) const noexcept { return bulk_.may_contain(deadline); }
  // The next to fire; there is one.
  const due_entry& front() const noexcept { return waiting_ == 0 ? bulk_.front() : higher_[highest()].front(); }
  // No entry of any lane is due before this; there is one.
  nanoseconds_t earliest() const noexcept;
  due_entry pop() noexcept {
    if (waiting_ != 0) [[unlikely]]
      return pop_higher();
    return bulk_.pop();
  }
  // Of the bulk: the entry some places ahead, to fetch its node early; null near the end.
  const due_entry* ahead(std::size_t places) const noexcept { return bulk_.ahead(places); }
  // Fetches the memory of the next few entries.
  void warm_up() const noexcept { bulk_.warm_up(); }
  // Memory of a past peak.
  void give_back() noexcept;

 private:
  unsigned highest() const noexcept { return static_cast<unsigned>(std::bit_width(waiting_)) - 1; }
  bool collect_higher(std::uint8_t lane, const due_entry& entry) noexcept;
  bool insert_higher(std::uint8_t lane, const due_entry& entry) noexcept;
  due_entry pop_higher() noexcept;

  due_queue bulk_;
  std::uint32_t waiting_ = 0;  // bit n: lane n + 1 has something to fire
  std::array<due_queue, lane_count - 1> higher_;
};

}  // namespace detent::detail
