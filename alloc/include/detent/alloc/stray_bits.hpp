// SPDX-License-Identifier: MIT
// The last resort of free(): one bit for each slot of a slab.
#pragma once

#include <detent/alloc/magazine.hpp>
#include <detent/base/atomic.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace detent::alloc {

// A view on the zeroed words beside a slab, 64 slots to the word. Any thread may put and take; both are wait-free.
class stray_bits {
 public:
  stray_bits(void* words, std::size_t slots) noexcept
      : words_(static_cast<base::atomic<std::uint64_t>*>(words)), count_(words_for(slots)) {}

  static constexpr std::size_t words_for(std::size_t slots) noexcept { return (slots + 63) / 64; }
  static constexpr std::size_t bytes_for(std::size_t slots) noexcept {
    return words_for(slots) * sizeof(std::uint64_t);
  }

  void put(std::uint32_t slot) noexcept;
  // Moves at most `room` slots to `out`, each plus `offset`, and says how many.
  std::uint32_t take(slot_index* out, std::uint32_t room, slot_index offset) noexcept;

 private:
  base::atomic<std::uint64_t>* words_;
  std::size_t count_;
};

inline void stray_bits::put(std::uint32_t slot) noexcept {
  // (1) release: what the thread did with the slot comes before its reuse; pairs with (2).
  words_[slot / 64].fetch_or(std::uint64_t{1} << slot % 64, base::release);
}

inline std::uint32_t stray_bits::take(slot_index* out, std::uint32_t room, slot_index offset) noexcept {
  std::uint32_t taken = 0;
  for (std::size_t word = 0; word != count_ && taken != room; ++word) {
    if (words_[word].load(base::relaxed) == 0) continue;  // relaxed: a mere hint, (2) decides
    // (2) acquire: pairs with (1) and (3).
    std::uint64_t bits = words_[word].exchange(0, base::acquire);
    for (; bits != 0 && taken != room; bits &= bits - 1) {
      out[taken++] = offset + static_cast<slot_index>(word * 64) + static_cast<slot_index>(std::countr_zero(bits));
    }
    // (3) release: passes on what (2) acquired; pairs with the next (2).
    if (bits != 0) words_[word].fetch_or(bits, base::release);
  }
  return taken;
}

}  // namespace detent::alloc
