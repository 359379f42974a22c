// SPDX-License-Identifier: MIT
// Pseudo-random delays at the price of a multiplication. The seed is fixed: each system meets the same sequence.
#pragma once

#include <cstdint>

#include "tally.hpp"

namespace peers {

class delays {
 public:
  // Uniform in [least, least + spread).
  delays(nanoseconds least, nanoseconds spread, std::uint64_t stream = 0)
      : least_(least.count()), spread_(static_cast<std::uint64_t>(spread.count())), state_(seed + stream) {}

  nanoseconds next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    // The upper half of the product scales to the spread without a division.
    const std::uint64_t scaled = (state_ >> 32) * (spread_ >> 10) >> 22;
    return nanoseconds(least_ + static_cast<std::int64_t>(scaled));
  }

 private:
  static constexpr std::uint64_t seed = 0x9e3779b97f4a7c15u;

  std::int64_t least_;
  std::uint64_t spread_;
  std::uint64_t state_;
};

}  // namespace peers
