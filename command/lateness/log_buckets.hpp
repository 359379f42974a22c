// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace detent::tool {

// The buckets of a log-linear scale for 63-bit values: one for each value below 2^(sub_bits + 1), and 2^sub_bits for
// each further octave.
template <int sub_bits>
struct log_buckets {
  static constexpr std::uint64_t to_the_octave = std::uint64_t{1} << sub_bits;
  static constexpr std::size_t count = (63 - sub_bits + 1) * to_the_octave;

  static constexpr std::size_t index_of(std::uint64_t value) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - sub_bits - 1);
    return static_cast<std::size_t>(shift) * to_the_octave + (value >> shift);
  }
  static constexpr std::uint64_t lowest_in(std::size_t index) {
    if (index < 2 * to_the_octave) return index;
    const std::size_t shift = index / to_the_octave - 1;
    return (index - shift * to_the_octave) << shift;
  }
};

}  // namespace detent::tool
