// SPDX-License-Identifier: MIT
// Random numbers that cost about a nanosecond, so that they do not cover up what is measured. Fixed seeds.
#pragma once

#include <cmath>
#include <cstdint>

namespace detent::bench {

// A linear congruential generator of 64 bits. Its upper 32 bits are good enough to choose victims and delays.
class cheap_random {
 public:
  explicit cheap_random(std::uint64_t seed) noexcept : state_(seed * 0x9e3779b97f4a7c15u + 1) { next(); }

  std::uint32_t next() noexcept {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  // Draws from 0 to limit - 1.
  std::uint64_t below(std::uint64_t limit) noexcept { return (std::uint64_t{next()} * limit) >> 32; }
  // Draws from 0 up to 1, without 1.
  double fraction() noexcept { return next() * 0x1p-32; }
  // Draws equally often from each octave between `low` and `high`.
  double log_uniform(double low, double high) noexcept { return low * std::pow(high / low, fraction()); }

 private:
  std::uint64_t state_;
};

}  // namespace detent::bench
