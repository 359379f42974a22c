// SPDX-License-Identifier: MIT
// Every private limit of the memory for nodes; core/src/limits.hpp says what they are.
#pragma once

#include <detent/base/limit.hpp>

#include <cstddef>
#include <cstdint>

namespace detent::alloc::limits {

using base::limit;

// A slab has 2^n slots. 15: 2 MiB of slots, one huge page. 6 is correct too, but makes so many mappings that a million
// timers come close to what the kernel allows a process.
inline constexpr unsigned slab_bits = limit(15, 8);
// The slabs of a pool. Together they have all the indices that exist.
inline constexpr std::size_t slabs = limit(131'072, 131'072);
// The slots of a magazine, which travel between threads in one go. With 8, its head and the slots fill a cache line.
inline constexpr std::uint32_t magazine = limit(256, 8);
// The slots that a cache gets first, so that a thread that needs few keeps few from the others; at most a magazine.
inline constexpr std::uint32_t first_carve = limit(32, 2);
// Magazines in the depot. Beyond `deep` they are sorted at once, beyond `shallow` when there is time. `deep` is 8 MiB
// of slots.
inline constexpr std::uint32_t shallow = limit(16, 1), deep = limit(512, 2);
// Empty magazines that stay as they are when threads end; the pages of further ones go to the kernel.
inline constexpr std::uint32_t magazines_kept = limit(8, 1);
// Slots that are sorted in one go when there is time: a quarter of a microsecond.
inline constexpr std::uint32_t tidy_slice = limit(32, 2);
// Words of the map of free slots that a take looks at once it has found a slot.
inline constexpr std::uint32_t map_words = limit(64, 2);
// The fewest words of that map, of 64 slots each, that are given back to the kernel: 64 KiB of slots.
inline constexpr std::size_t words_given_back = limit(16, 1);

}  // namespace detent::alloc::limits
