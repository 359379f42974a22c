// SPDX-License-Identifier: MIT
// Free slots by their place in memory: a hierarchical bitmap, from which they come back densely.
#pragma once

#include <detent/alloc/limits.hpp>
#include <detent/alloc/magazine.hpp>
#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>
#include "platform/check.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace detent::alloc {

// There are three levels. A word has a bit for each of 64 slots, a summary one for each of 64 words (a group of 4,096
// slots), and the root one for each group. Words and summaries lie beside their slab, and the root in the pool's
// directory; all of it is zero at first. Any thread may put and take, lock-free. Putting a slot costs one atomic
// operation if its word held another, and taking costs some for each 64 slots.
//
// Each level follows one rule. A thread that makes a word of a level nonzero then sets its bit above. A thread that
// takes clears that bit first, then takes out the word as a whole, and puts back the rest. So a word that is not zero
// has its bit above, or a thread that is about to set it, or one that is about to take the word.
template <class Traits>
class free_map {
 public:
  using piece = base::atomic<std::byte*>;
  using word = base::atomic<std::uint64_t>;
  static constexpr std::size_t slots_per_slab = std::size_t{1} << Traits::slab_bits;
  static constexpr std::size_t group_slots = 64 * 64;
  static constexpr std::size_t words_per_slab = (slots_per_slab + 63) / 64;
  static constexpr std::size_t groups_per_slab = (words_per_slab + 63) / 64;
  // The words; and for each group a word each for its summary, the idle words, the words whose memory the kernel has,
  // and the lives.
  static constexpr std::size_t bytes_per_slab = (words_per_slab + 4 * groups_per_slab) * sizeof(word);
  static constexpr std::size_t root_bytes = (Traits::max_slabs * groups_per_slab + 63) / 64 * sizeof(word);

  // To be called before any other call. `parts` has, for each slab, the address of the memory beside it, in which this
  // map's bytes begin at `offset`; `root` is root_bytes of zeroed memory.
  void lay_out(const piece* parts, std::size_t offset, void* root) noexcept {
    parts_ = parts;
    offset_ = offset;
    root_ = static_cast<word*>(root);
  }

  // A hint that no slot is held here. It is exact at rest.
  bool empty() const noexcept { return held_.load(base::relaxed) == 0; }  // relaxed: a hint
  // Takes back slots that the caller owns, in any order.
  void put(const slot_index* slots, std::uint32_t count) noexcept;
  // Moves at most `room` slots to `out`, in ascending order and from the lowest places on, and returns how many. If
  // free slots are rare it looks at some dozens of words and takes what they have. No slot lies at `end` or above.
  // `revive(first, lives)` is called for 64 slots whose memory was given back, before any of them is taken.
  template <class Revive>
  std::uint32_t take(slot_index* out, std::uint32_t room, slot_index end, Revive&& revive) noexcept;

  // A hint of how many slots are held here.
  std::uint32_t held() const noexcept { return held_.load(base::relaxed); }  // relaxed: a hint
  static std::size_t groups_below(slot_index end) noexcept {
    return ((std::size_t{end} + slots_per_slab - 1) >> Traits::slab_bits) * groups_per_slab;
  }
  // Looks at one group, on one thread at a time, in a regular round of all groups. `give(first, count)` gives back the
  // memory of slots that have been free since the last look. It returns what revive() needs to know of them, or 0 if it
  // has not given it back. Returns whether there is more for the next look.
  template <class Give>
  bool give_back(std::size_t group, Give&& give) noexcept;

 private:
  // A take under way.
  struct taking {
    slot_index* out;
    std::uint32_t room;
    std::uint32_t found = 0;
    std::uint32_t words = 0;  // looked at
    bool goes_on() const noexcept { return found != room && (words < limits::map_words || found == 0); }
  };
  static constexpr std::size_t least_words = std::min(limits::words_given_back, words_per_slab);

  word* words_of(std::size_t slab) const noexcept {
    // relaxed: the slab is one in which this thread holds a slot, or which it found below carved().
    return reinterpret_cast<word*>(parts_[slab].load(base::relaxed) + offset_);
  }
  enum class kind : std::uint8_t { summary, idle, gone, lives };
  word& of_group(std::size_t group, kind which) const noexcept {
    const std::size_t row = words_per_slab + groups_per_slab * static_cast<std::size_t>(which);
    return words_of(group / groups_per_slab)[row + group % groups_per_slab];
  }
  word& summary_of(std::size_t group) const noexcept { return of_group(group, kind::summary); }
  static slot_index first_of(std::size_t group, std::size_t place) noexcept {
    const std::size_t in_slab = group % groups_per_slab * group_slots + place * 64;
    return static_cast<slot_index>((group / groups_per_slab << Traits::slab_bits) + in_slab);
  }
  word* words_of_group(std::size_t group) const noexcept {
    return words_of(group / groups_per_slab) + group % groups_per_slab * 64;
  }
  // Keeps the runs of least_words or more bits in a row.
  static std::uint64_t long_runs(std::uint64_t bits) noexcept {
    std::uint64_t starts = bits;
    for (std::size_t i = 1; i != least_words; ++i) starts &= bits >> i;
    std::uint64_t all = starts;
    for (std::size_t i = 1; i != least_words; ++i) all |= starts << i;
    return all;
  }
  static std::size_t place_of(slot_index slot) noexcept { return slot & (slots_per_slab - 1); }  // in its slab
  word& word_of(slot_index slot) const noexcept { return words_of(slot >> Traits::slab_bits)[place_of(slot) / 64]; }
  static std::size_t group_of(slot_index slot) noexcept {
    return (slot >> Traits::slab_bits) * groups_per_slab + place_of(slot) / group_slots;
  }
  static std::uint64_t bit(std::size_t place) noexcept { return std::uint64_t{1} << place % 64; }

  void put_words(std::size_t group, std::uint64_t words) noexcept;
  bool claim_group(std::size_t group) noexcept;
  // The words of a claimed group that are this thread's to take until it puts them back.
  std::uint64_t take_summary(std::size_t group) noexcept {
    // relaxed: skips a word that is zero. After (6), and for a word after (4), a nonzero one never reads as zero.
    if (summary_of(group).load(base::relaxed) == 0) return 0;
    // (4) acquire: pairs with (2), so that (5) finds the words.
    return summary_of(group).exchange(0, base::acquire);
  }
  static std::uint64_t take_word(word& from) noexcept {
    return from.exchange(0, base::acquire);  // (5) acquire: pairs with (1) and (7)
  }
  template <class Revive>
  void take_group(std::size_t group, taking& now, Revive& revive) noexcept;

  const piece* parts_ = nullptr;
  std::size_t offset_ = 0;
  word* root_ = nullptr;
  base::atomic<std::uint32_t> held_{0};  // at rest never too low
};

template <class Traits>
void free_map<Traits>::put(const slot_index* slots, std::uint32_t count) noexcept {
  held_.fetch_add(count, base::relaxed);  // relaxed, before the bits: at worst a thread searches for nothing
  for (std::uint32_t i = 0; i != count; ++i) base::prefetch_to_write(&word_of(slots[i]));
  for (std::uint32_t i = 0; i != count; ++i) {
    const std::size_t place = place_of(slots[i]);
    // An addition, because the bit is not set, and because it returns the former word in one instruction.
    // (1) release: what the thread did with the slot comes before its reuse; pairs with (5).
    const std::uint64_t before = word_of(slots[i]).fetch_add(bit(place), base::release);
    DETENT_ASSERT((before & bit(place)) == 0);
    if (before == 0) put_words(group_of(slots[i]), bit(place / 64));
  }
}

// Enters words of a group that are no longer zero.
template <class Traits>
void free_map<Traits>::put_words(std::size_t group, std::uint64_t words) noexcept {
  // (2) release: the words that it stands for are not zero; pairs with (4), so that the taking thread finds them so.
  if (words == 0 || summary_of(group).fetch_or(words, base::release) != 0) return;
  // (3) release: neither is the summary; pairs with (6).
  root_[group / 64].fetch_or(bit(group), base::release);
}

// Clears a group's bit in the root. Returns false if another thread has done so.
template <class Traits>
bool free_map<Traits>::claim_group(std::size_t group) noexcept {
  // (6) acquire: pairs with (3), so that (4) finds the summary.
  return (root_[group / 64].fetch_and(~bit(group), base::acquire) & bit(group)) != 0;
}

template <class Traits>
template <class Revive>
std::uint32_t free_map<Traits>::take(slot_index* out, std::uint32_t room, slot_index end, Revive&& revive) noexcept {
  taking now{.out = out, .room = room};
  const std::size_t roots = (groups_below(end) + 63) / 64;
  for (std::size_t at = 0; at != roots; ++at) {
    std::uint64_t seen = root_[at].load(base::relaxed);  // relaxed: (6) decides
    for (; seen != 0 && now.goes_on(); seen &= seen - 1) {
      const std::size_t group = at * 64 + static_cast<std::size_t>(std::countr_zero(seen));
      if (claim_group(group)) take_group(group, now, revive);
    }
    if (!now.goes_on()) break;
  }
  held_.fetch_sub(now.found, base::relaxed);  // relaxed: a hint
  return now.found;
}

// Takes slots of a group that this thread has claimed.
template <class Traits>
template <class Revive>
void free_map<Traits>::take_group(std::size_t group, taking& now, Revive& revive) noexcept {
  word* const words = words_of_group(group);
  std::uint64_t left = take_summary(group);
  while (left != 0 && now.goes_on()) {
    const auto place = static_cast<std::size_t>(std::countr_zero(left));
    left &= left - 1;
    ++now.words;
    if (words[place].load(base::relaxed) == 0) continue;  // relaxed: as in take_summary()
    std::uint64_t bits = take_word(words[place]);
    if (bits == 0) continue;
    // relaxed, here and below: the words with memory that is gone are stored before (7), and are changed by the thread
    // that has all 64 slots; the idle words are a hint.
    if ((of_group(group, kind::idle).load(base::relaxed) & bit(place)) != 0)
      of_group(group, kind::idle).fetch_and(~bit(place), base::relaxed);
    if ((of_group(group, kind::gone).load(base::relaxed) & bit(place)) != 0) [[unlikely]] {
      revive(first_of(group, place), of_group(group, kind::lives).load(base::relaxed));
      of_group(group, kind::gone).fetch_and(~bit(place), base::relaxed);
    }
    const slot_index base = first_of(group, place);
    for (; bits != 0 && now.found != now.room; bits &= bits - 1)
      now.out[now.found++] = base + static_cast<slot_index>(std::countr_zero(bits));
    if (bits == 0) continue;
    // relaxed: it continues the release sequence of (1), as (5) did, for the next (5).
    words[place].fetch_or(bits, base::relaxed);
    left |= bit(place);
  }
  put_words(group, left);
}

template <class Traits>
template <class Give>
bool free_map<Traits>::give_back(std::size_t group, Give&& give) noexcept {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  if ((root_[group / 64].load(base::relaxed) & bit(group)) == 0 || !claim_group(group)) return false;  // relaxed: (6)
  word* const words = words_of_group(group);
  const std::uint64_t left = take_summary(group);
  const std::uint64_t gone = of_group(group, kind::gone).load(base::relaxed);  // relaxed: this thread's own or taken
  const std::uint64_t idle = of_group(group, kind::idle).load(base::relaxed);  // relaxed: a hint
  std::uint64_t whole = 0, owned = 0;
  for (std::uint64_t seen = left & ~gone; seen != 0; seen &= seen - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(seen));
    if (words[place].load(base::relaxed) == all) whole |= bit(place);  // relaxed: a hint, (5) decides
  }
  for (std::uint64_t seen = long_runs(whole & idle); seen != 0; seen &= seen - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(seen));
    const std::uint64_t bits = take_word(words[place]);
    if (bits == all) {
      owned |= bit(place);
    } else if (bits != 0) {
      words[place].fetch_or(bits, base::relaxed);  // relaxed: as in take_group()
    }
  }
  for (std::uint64_t rest = owned; rest != 0;) {
    const auto first = static_cast<std::size_t>(std::countr_zero(rest));
    const auto count = static_cast<std::size_t>(std::countr_one(rest >> first));
    const std::uint64_t run = (count == 64 ? all : bit(count) - 1) << first;
    if (const std::uint64_t lives = give(first_of(group, first), static_cast<slot_index>(count * 64)); lives != 0) {
      // relaxed, both: published by (7).
      word& most = of_group(group, kind::lives);
      most.store(std::max(most.load(base::relaxed), lives), base::relaxed);
      of_group(group, kind::gone).fetch_or(run, base::relaxed);
    }
    rest &= ~run;
  }
  for (std::uint64_t rest = owned; rest != 0; rest &= rest - 1) {
    // (7) release: what was given back comes before its reuse; pairs with (5).
    words[std::countr_zero(rest)].fetch_or(all, base::release);
  }
  of_group(group, kind::idle).store(whole, base::relaxed);  // relaxed: a hint
  put_words(group, left);
  return long_runs(whole & ~idle) != 0;
}

}  // namespace detent::alloc
