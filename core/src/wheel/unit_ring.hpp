// SPDX-License-Identifier: MIT
// A ring of sets by units of time, with a bitmap of the occupied places. No threads, no clock.
#pragma once

#include "wheel/slot_sets.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace detent::detail {

// One thread. All occupied units lie within one turn of 2^Bits units, so that the order of places from the first unit
// on is that of time.
template <unsigned Bits>
class unit_ring {
 public:
  static constexpr std::uint64_t places = std::uint64_t{1} << Bits;

  unit_ring() noexcept { sets_.fill(no_set); }

  static std::uint32_t place_of(std::uint64_t unit) noexcept { return static_cast<std::uint32_t>(unit % places); }
  bool empty() const noexcept { return words_ == 0; }
  // Returns no_set if there is none.
  set_index at(std::uint64_t unit) const noexcept { return sets_[place_of(unit)]; }
  void put(std::uint64_t unit, set_index id) noexcept;
  void clear(std::uint32_t place) noexcept;
  // The first set from a unit on, within the turn that begins there; there must be one.
  set_index first(std::uint64_t from) const noexcept;
  // For tests: whether the bitmap agrees with the places.
  bool check() const noexcept;

 private:
  static constexpr std::uint64_t word_count = (places + 63) / 64;
  static_assert(word_count <= 64, "one bit a word in one more");
  static std::uint64_t bit(std::uint64_t of) noexcept { return std::uint64_t{1} << of % 64; }

  std::uint64_t words_ = 0;  // bit n: some place of word n is occupied
  std::array<std::uint64_t, word_count> occupied_{};
  std::array<set_index, places> sets_;
};

template <unsigned Bits>
void unit_ring<Bits>::put(std::uint64_t unit, set_index id) noexcept {
  const std::uint32_t place = place_of(unit);
  sets_[place] = id;
  occupied_[place / 64] |= bit(place);
  words_ |= bit(place / 64);
}

template <unsigned Bits>
void unit_ring<Bits>::clear(std::uint32_t place) noexcept {
  sets_[place] = no_set;
  std::uint64_t& word = occupied_[place / 64];
  word &= ~bit(place);
  if (word == 0) words_ &= ~bit(place / 64);
}

template <unsigned Bits>
set_index unit_ring<Bits>::first(std::uint64_t from) const noexcept {
  const std::uint32_t begin = place_of(from);
  std::uint32_t word = begin / 64;
  std::uint64_t in_word = occupied_[word] & ~std::uint64_t{0} << begin % 64;
  if (in_word == 0) {
    // The words after it, else from the first one on: to the same word again, whose lower places end the turn.
    const std::uint64_t after = words_ & ~std::uint64_t{1} << word;
    word = static_cast<std::uint32_t>(std::countr_zero(after != 0 ? after : words_));
    in_word = occupied_[word];
  }
  return sets_[word * 64 + static_cast<std::uint32_t>(std::countr_zero(in_word))];
}

template <unsigned Bits>
bool unit_ring<Bits>::check() const noexcept {
  for (std::uint32_t place = 0; place < places; ++place) {
    if ((sets_[place] != no_set) != ((occupied_[place / 64] & bit(place)) != 0)) return false;
  }
  for (std::uint32_t word = 0; word < word_count; ++word) {
    if ((occupied_[word] != 0) != ((words_ & bit(word)) != 0)) return false;
  }
  return true;
}

}  // namespace detent::detail
