// SPDX-License-Identifier: MIT
// The timers that have come due in the higher lanes, the highest lane first.
#pragma once

#include <detent/options.hpp>

#include "limits.hpp"
#include "wheel/due_queue.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace detent::detail {

// One thread. A due queue for each lane from 1 on.
class due_lanes {
 public:
  // Makes room for `reserve` entries of each lane ahead, but for no more than limits::higher_ahead. Throws bad_alloc.
  explicit due_lanes(std::size_t reserve);

  // Adds to the next batch of its lane. Returns false if there is no memory.
  bool collect(std::uint8_t lane, const due_entry& entry) noexcept { return of(lane).collect(entry); }
  // Puts the batches in order.
  void seal() noexcept;
  // Adds it at its place among the entries that wait now. Returns false if there is no memory.
  bool insert(std::uint8_t lane, const due_entry& entry) noexcept;

  bool empty() const noexcept { return waiting_ == 0; }
  // The next entry to fire; there must be one.
  const due_entry& front() const noexcept { return lanes_[highest()].front(); }
  // No entry of any lane is due before this; there must be one.
  nanoseconds_t earliest() const noexcept;
  due_entry pop() noexcept;
  // Gives back the memory of a past peak.
  void give_back() noexcept;

 private:
  due_queue& of(std::uint8_t lane) noexcept { return lanes_[lane - 1u]; }
  unsigned highest() const noexcept { return static_cast<unsigned>(std::bit_width(waiting_)) - 1; }

  std::uint32_t waiting_ = 0;  // bit n: lane n + 1 has something to fire
  std::array<due_queue, lane_count - 1> lanes_;
};

}  // namespace detent::detail
