// SPDX-License-Identifier: MIT
// The nodes of a pool by index, as a wheel sees them: when each is due.
#pragma once

#include <detent/alloc/slot_pool.hpp>
#include "timer/node.hpp"
#include "timer/tick_grid.hpp"

#include "groups/group_state.hpp"

#include <bit>

namespace detent::detail {

using node_pool = alloc::slot_pool<>;

// The roundest time from `t` to `slack` later, the one with the most trailing zeros: what is spread over a while meets
// there, so that sleeping engines wake up once for all of it.
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

  // Only in engines that capture origins.
  origin_record& origin(node_index index) const noexcept {
    return *reinterpret_cast<origin_record*>(static_cast<std::byte*>(pool->cold(index)) + origin_offset);
  }
  // Of the caller's own timer.
  detent::origin origin_of(node_index index) const noexcept {
    const origin_record& noted = origin(index);
    return detent::origin::current(noted.file(), noted.line());
  }

  // What it is ordered by among others that are due. `word` is its state word.
  nanoseconds_t due_time(node_index index, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    if ((word & state_word::cold) == 0) [[likely]]
      return deadline;
    const group_state* group = group_of(index);
    return group == nullptr ? deadline : grid.round_up(group->to_engine_time(group_time{deadline}));
  }
  // Of a node whose cold part counts; null: none. Perhaps of a later generation than the caller's, which finds out by
  // the word.
  group_state* group_of(node_index index) const noexcept { return cold(index).group(); }
  // When the driver has to process it.
  nanoseconds_t filing_time(node_index index, const node& of) const noexcept {
    return filing_time(index, observe(of.pair), deadline_of(of.pair));
  }
  nanoseconds_t filing_time(node_index index, std::uint64_t word, nanoseconds_t deadline) const noexcept {
    const nanoseconds_t due = due_time(index, word, deadline);
    return (word & state_word::cold) == 0 ? due : grid.round_down(coalesced(due, cold(index).slack));
  }
  std::uint8_t lane(node_index index, std::uint64_t word) const noexcept {
    return (word & state_word::cold) == 0 ? std::uint8_t{0} : cold(index).lane();
  }
};

}  // namespace detent::detail
