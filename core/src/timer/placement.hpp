// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace detent::detail {

// The driver's note on a node, in 32 bits, of one of three kinds: its newest entry of the due queue, the drain that
// found it late, or the pass in which it last ran. Each kind counts in a range of its own, and wraps round in it.
class placement {
 public:
  // No note, for a node that has just been scheduled.
  constexpr placement() noexcept = default;
  static constexpr placement first_late_drain() noexcept { return placement(drains); }
  static constexpr placement first_pass() noexcept { return placement(passes); }

  constexpr placement next_entry() const noexcept { return placement((bits_ + 1) % drains); }
  constexpr placement next_late_drain() const noexcept { return placement((bits_ + 1) % drains | drains); }
  constexpr placement next_pass() const noexcept { return placement((bits_ + 1) | passes); }

  constexpr bool is_late_drain() const noexcept { return bits_ - drains < passes - drains; }
  // Distinguishes drains, modulo a power of two.
  constexpr std::uint32_t number() const noexcept { return bits_; }
  friend constexpr bool operator==(placement, placement) noexcept = default;

 private:
  static constexpr std::uint32_t drains = 1u << 30, passes = 1u << 31;
  explicit constexpr placement(std::uint32_t bits) noexcept : bits_(bits) {}

  std::uint32_t bits_ = 0;
};

}  // namespace detent::detail
