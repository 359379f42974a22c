// SPDX-License-Identifier: MIT
// The nodes of a pool by index, as a wheel sees them: with the times at which they are due.
#pragma once

#include <detent/alloc/slot_pool.hpp>
#include <detent/base/compiler.hpp>
#include "timer/filing.hpp"
#include "timer/node.hpp"
#include "timer/tick_grid.hpp"

#include "groups/group_state.hpp"

#include <bit>

namespace detent::detail {

using node_pool = alloc::slot_pool<>;
// The pool keeps a slot's first 8 bytes from falling; the generation is the word's highest field.
static_assert(offsetof(node, pair) == 0 && offsetof(timer_pair, low) == 0);
static_assert(state_word::generation_shift + state_word::generation_bits == 64);

// The roundest time from `t` to `slack` later, which is the one with the most trailing zeros. Timers that are spread
// over a while meet there, so that sleeping engines wake up once for all of them.
constexpr nanoseconds_t coalesced(nanoseconds_t t, nanoseconds_t slack) noexcept {
  if (t == INT64_MIN) return t;
  // The highest bit in which the last differs from what is just before the first: that bit and those above it.
  const std::uint64_t before = to_unsigned(t) - 1, last = to_unsigned(add_saturated(t, slack));
  const auto zeros = static_cast<unsigned>(std::bit_width(before ^ last)) - 1;
  return to_signed(last >> zeros << zeros);
}

struct node_view {
  node_pool* pool;
  tick_grid grid;

  node& operator[](node_index index) const noexcept { return *static_cast<node*>(pool->hot(index)); }
  cold_node& cold(node_index index) const noexcept { return *static_cast<cold_node*>(pool->cold(index)); }
  // Fetches the memory that a visit will touch. Whether there is a cold part is not known yet; it is as likely as for
  // the neighbour.
  void prefetch(node_index index, const node& neighbour) const noexcept {
    base::prefetch_to_write(&(*this)[index]);
    // Relaxed: a guess.
    if ((neighbour.pair.low.load(base::relaxed) & state_word::cold) != 0) base::prefetch_to_write(&cold(index));
  }

  // Only for engines that capture origins.
  origin_record& origin(node_index index) const noexcept {
    return *reinterpret_cast<origin_record*>(static_cast<std::byte*>(pool->cold(index)) + origin_offset);
  }
  // Only for the caller's own timer.
  detent::origin origin_of(node_index index) const noexcept {
    const origin_record& noted = origin(index);
    return detent::origin::current(noted.file(), noted.line());
  }

  // The time that orders the timer among others that are due. `word` is its state word.
  nanoseconds_t due_time(node_index index, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    if ((word & state_word::cold) == 0) [[likely]]
      return deadline;
    return due_time_of_cold(index, deadline);
  }
  // The group of a node whose cold part counts; null: none. It may be of a later generation than the caller's, which
  // the word shows.
  group_state* group_of(node_index index) const noexcept { return cold(index).group(); }
  // The time at which the driver must process it.
  nanoseconds_t filing_time(node_index index, const node& of) const noexcept {
    return filing_time(index, observe(of.pair), deadline_of(of.pair));
  }
  nanoseconds_t filing_time(node_index index, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    return filing_of(index, word, deadline).time;
  }
  // Returns whether a timer whose due_time() is `due` is due by `now`. A member of a paused group is never due.
  bool is_due_by(nanoseconds_t now, node_index index, std::uint64_t word, nanoseconds_t due) const noexcept {
    if ((word & state_word::cold) == 0) [[likely]]
      return due <= now;
    return cold_is_due_by(now, index, due);
  }
  // The time by which a node is filed, and whether it is in order. It is not if it was restarted since it was armed, or
  // if others of its time may be due before. Nor is it if the time of its group, or of an earlier one in the same
  // place, has stood still, because some members may not have followed it yet.
  filing filing_of(node_index index, const node& of) const noexcept {
    return filing_of(index, observe(of.pair), deadline_of(of.pair));
  }
  filing filing_of(node_index index, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    if ((word & state_word::cold) == 0) [[likely]]
      return {deadline, (word & state_word::moved) == 0};
    return filing_of_cold(index, word, deadline);
  }
  bool is_critical(node_index index, std::uint64_t word) const noexcept {
    return (word & state_word::cold) != 0 && cold(index).is_critical();
  }

 private:
  // For a node with a cold part. Out of line: a call costs little beside the cold part's line, and there are forty
  // callers.
  DETENT_NOINLINE nanoseconds_t due_time_of_cold(node_index index, nanoseconds_t deadline) const noexcept {
    const group_state* group = group_of(index);
    return group == nullptr ? deadline : in_engine_time(*group, deadline);
  }
  DETENT_NOINLINE filing filing_of_cold(node_index index, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    const group_state* group = group_of(index);
    const nanoseconds_t due = group == nullptr ? deadline : in_engine_time(*group, deadline), time = spread(index, due);
    const bool in_order = (word & state_word::moved) == 0 && time == due && (group == nullptr || !group->was_paused());
    return {time, in_order};
  }
  DETENT_NOINLINE bool cold_is_due_by(nanoseconds_t now, node_index index, nanoseconds_t due) const noexcept {
    if (spread(index, due) > now) return false;
    const group_state* const group = due == forever ? group_of(index) : nullptr;
    return group == nullptr || !group->paused();
  }
  nanoseconds_t in_engine_time(const group_state& group, nanoseconds_t deadline) const noexcept {
    return grid.round_up(group.to_engine_time(group_time{deadline}));
  }
  nanoseconds_t spread(node_index index, nanoseconds_t due) const noexcept {
    const nanoseconds_t slack = cold(index).slack;
    return slack == 0 ? due : grid.round_down(coalesced(due, slack));
  }
};

}  // namespace detent::detail
