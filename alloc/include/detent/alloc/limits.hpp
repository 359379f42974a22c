// SPDX-License-Identifier: MIT
// Every private limit of the memory for nodes; core/src/limits.hpp says what they are.
#pragma once

#include <detent/base/limit.hpp>

#include <cstddef>
#include <cstdint>

namespace detent::alloc::limits {

using base::limit;

// A slab has 2^n slots. 15: 2 MiB of them, one huge page. 6 is right as well, and makes so many mappings that a million
// timers come close to what the kernel allows a process.
inline constexpr unsigned slab_bits = limit(15, 8);
// Slabs of a pool: together they have all the indices there are.
inline constexpr std::size_t slabs = limit(131'072, 131'072);
// Slots of a magazine, which travel between threads in one go. 8: its head and they are a cache line.
inline constexpr std::uint32_t magazine = limit(256, 8);
// Slots that a cache gets first, so that a thread that needs few keeps few from the others; no more than a magazine.
inline constexpr std::uint32_t first_carve = limit(32, 2);
// Magazines in the depot: what is more than `deep` is sorted at once, what is more than `shallow` at rest. The former
// is 8 MiB of slots.
inline constexpr std::uint32_t shallow = limit(16, 1), deep = limit(512, 2);
// Empty magazines that stay as they are when threads end; the kernel gets the pages of more.
inline constexpr std::uint32_t magazines_kept = limit(8, 1);
// Slots that are sorted in one go at rest: a quarter of a microsecond.
inline constexpr std::uint32_t tidy_slice = limit(32, 2);
// Words of the map of free slots that a take looks at once it has found any.
inline constexpr std::uint32_t map_words = limit(64, 2);
// Words of that map, of 64 slots each, that are given back to the kernel at least: 64 KiB of slots.
inline constexpr std::size_t words_given_back = limit(16, 1);

}  // namespace detent::alloc::limits
