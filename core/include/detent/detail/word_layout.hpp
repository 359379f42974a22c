// SPDX-License-Identifier: MIT
// The bits of the state word. Their transitions are in state_word.hpp.
#pragma once

#include <cstdint>

namespace detent::detail {

// Queued and armed differ in one bit, so that one test finds both.
enum class timer_state : std::uint8_t { free, returned, queued, armed, dispatched, firing, cancelled, dropped };

// The layout of the 64 bits: arming order 0-26, flags 27-30, `owning` 32, state 33-35, `unfiled` 36, generation 37-63.
// The fast paths of cancel and restart compare only the upper half. `owning` is its lowest bit, so that a shift drops
// it.
struct state_word {
  static constexpr unsigned order_bits = 27;
  static constexpr std::uint64_t last = std::uint64_t{1} << 27;
  static constexpr std::uint64_t waiter = std::uint64_t{1} << 28;
  static constexpr std::uint64_t emptied = waiter;
  // Set before it fires if it was restarted since it was scheduled or last ran.
  static constexpr std::uint64_t moved = last;
  static constexpr std::uint64_t periodic = std::uint64_t{1} << 29;
  static constexpr std::uint64_t cold = std::uint64_t{1} << 30;
  static constexpr std::uint64_t owning = std::uint64_t{1} << 32;
  static constexpr std::uint64_t unfiled = std::uint64_t{1} << 36;
  static constexpr std::uint64_t of_arming = unfiled | moved;
  // The bits that belong to the timer, not to one of its armings.
  static constexpr std::uint64_t lasting = periodic | cold | owning;
  static constexpr unsigned state_shift = 33;
  static constexpr std::uint64_t state_field = std::uint64_t{7} << state_shift;
  static constexpr unsigned generation_shift = 37, generation_bits = 64 - generation_shift;
  static constexpr std::uint32_t order_mask = (1u << order_bits) - 1;
  static constexpr std::uint32_t generation_max = (1u << generation_bits) - 1;

  static constexpr std::uint64_t make(std::uint32_t generation, std::uint32_t order, timer_state state,
                                      std::uint64_t flags) {
    return std::uint64_t{generation} << generation_shift | std::uint64_t{order & order_mask} | flags | field(state);
  }
  static constexpr std::uint64_t field(timer_state state) { return static_cast<std::uint64_t>(state) << state_shift; }
  static constexpr timer_state state(std::uint64_t word) {
    return static_cast<timer_state>((word & state_field) >> state_shift);
  }
  static constexpr std::uint32_t order(std::uint64_t word) { return static_cast<std::uint32_t>(word) & order_mask; }
  // Returns whether an arming comes before another one of the same thread, even if the thread's count has wrapped in
  // between.
  static constexpr bool order_before(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t ahead = (b - a) & order_mask;
    return ahead != 0 && ahead >> (order_bits - 1) == 0;
  }
  static constexpr std::uint32_t generation(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> generation_shift);
  }
  static constexpr std::uint64_t with_state(std::uint64_t word, timer_state state) {
    return (word & ~state_field) | field(state);
  }
  // The upper half of the word of a queued timer that owns nothing. Handles carry it, so that cancel() and restart()
  // have little to compute.
  static constexpr std::uint32_t queued_half(std::uint32_t generation) {
    return static_cast<std::uint32_t>(make(generation, 0, timer_state::queued, 0) >> 32);
  }
  // Returns whether the word is of an armed timer with the generation of that half, and not `unfiled`.
  static constexpr bool is_armed_as(std::uint64_t word, std::uint32_t half) {
    static_assert(owning >> (state_shift - 1) == 1, "all that is above it is compared");
    static_assert((static_cast<int>(timer_state::queued) ^ static_cast<int>(timer_state::armed)) == 1);
    return (word >> state_shift ^ half >> (state_shift - 32)) == 1;
  }
  // The word of a dispatched timer that goes back as it was armed, with its `order`; an entry is on its way.
  static constexpr std::uint64_t requeued(std::uint64_t word, std::uint32_t order) {
    return make(generation(word), order, timer_state::queued, (word & (lasting | moved)) | unfiled);
  }
  // The word of one that the driver itself takes back.
  static constexpr std::uint64_t recalled(std::uint64_t word, std::uint32_t order) {
    return make(generation(word), order, timer_state::armed, word & (lasting | moved));
  }
  // A node whose generations are used up must not be used again.
  static constexpr bool used_up(std::uint64_t word) { return generation(word) == generation_max; }
  static constexpr std::uint64_t next_life(std::uint64_t word) {
    return make(used_up(word) ? generation_max : generation(word) + 1, 0, timer_state::free, 0);
  }
  static constexpr bool pending(timer_state s) {
    return s == timer_state::queued || s == timer_state::armed || s == timer_state::dispatched;
  }
};

}  // namespace detent::detail
