// SPDX-License-Identifier: MIT
// The bits of the state word. What may happen to them is in state_word.hpp.
#pragma once

#include <cstdint>

namespace detent::detail {

enum class timer_state : std::uint8_t { free, queued, armed, dispatched, firing, cancelled, dropped, returned };

// The 64 bits, taken apart: state 0-2, flags 3-7, arming order 8-34, generation 35-63.
struct state_word {
  static constexpr std::uint64_t last = 1u << 3;
  static constexpr std::uint64_t waiter = 1u << 4;
  static constexpr std::uint64_t emptied = waiter;
  static constexpr std::uint64_t unfiled = 1u << 5;
  static constexpr std::uint64_t periodic = 1u << 6;
  static constexpr std::uint64_t cold = 1u << 7;
  static constexpr unsigned order_shift = 8, order_bits = 27;
  static constexpr unsigned generation_shift = order_shift + order_bits, generation_bits = 64 - generation_shift;
  static constexpr std::uint32_t order_mask = (1u << order_bits) - 1;
  static constexpr std::uint32_t generation_max = (1u << generation_bits) - 1;
  static constexpr std::uint64_t generation_field = ~std::uint64_t{0} << generation_shift;

  static constexpr std::uint64_t make(std::uint32_t generation, std::uint32_t order, timer_state state,
                                      std::uint64_t flags) {
    return std::uint64_t{generation} << generation_shift | std::uint64_t{order & order_mask} << order_shift | flags |
           static_cast<std::uint64_t>(state);
  }
  static constexpr timer_state state(std::uint64_t word) { return static_cast<timer_state>(word & 7); }
  static constexpr std::uint32_t order(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> order_shift) & order_mask;
  }
  static constexpr std::uint32_t generation(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> generation_shift);
  }
  static constexpr std::uint64_t with_state(std::uint64_t word, timer_state state) {
    return (word & ~std::uint64_t{7}) | static_cast<std::uint64_t>(state);
  }
  // A node whose generations are used up must not live again.
  static constexpr bool used_up(std::uint64_t word) { return generation(word) == generation_max; }
  static constexpr std::uint64_t next_life(std::uint64_t word) {
    return make(used_up(word) ? generation_max : generation(word) + 1, 0, timer_state::free, 0);
  }
  static constexpr bool pending(timer_state s) {
    return s == timer_state::queued || s == timer_state::armed || s == timer_state::dispatched;
  }
};

}  // namespace detent::detail
