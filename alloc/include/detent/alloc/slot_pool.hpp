// SPDX-License-Identifier: MIT
// Slots of 64 bytes by 32-bit index: taken by one thread, freed by any.
#pragma once

#include <detent/alloc/depot.hpp>
#include <detent/alloc/free_map.hpp>
#include <detent/alloc/limits.hpp>
#include <detent/alloc/magazine.hpp>
#include <detent/alloc/magazine_store.hpp>
#include <detent/alloc/page_source.hpp>
#include <detent/alloc/slot_cache.hpp>
#include <detent/base/atomic.hpp>
#include "platform/check.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace detent::alloc {

struct default_traits {
  using source = page_source;
  static constexpr unsigned slab_bits = limits::slab_bits;
  static constexpr std::uint32_t magazine_capacity = limits::magazine;
  static constexpr std::size_t max_slabs = limits::slabs;
  static constexpr std::size_t cold_bytes = 0;  // for each slot, unless the constructor sets another size
  static constexpr std::uint32_t shallow = limits::shallow, deep = limits::deep;
};

// Slots that are freed and soon wanted again go from thread to thread by the magazine, the last one first. Slots of a
// surplus come back in the order in which its timers ended, so its magazines hold neighbours in time, not in memory.
// They are sorted into a map of the free slots. From there they come densely and in order, from the lowest address on.
//
// allocate() and free() are lock-free. Off the fast path they cost one or two compare-and-swaps for each
// magazine_capacity slots, or one for a slot of a surplus. Only adding a slab (allocate) or a chunk of magazines (both;
// see reserve) makes system calls. The pool never reads or writes the slots. The resident cost of a live slot is its 64
// bytes, what is written of its cold part, and some 4 KiB a slab. A slot that was freed costs 4.25 bytes more, which
// stay for its next freeing.
//
// Why free() cannot fail: A full cache needs an empty magazine. Each slab brings the magazines to hold all its slots,
// and two for each of two caches. Non-empty magazines number at most (free slots / capacity) full ones, two in each
// cache, and one partly filled in the depot for each thread that ever tidied at the same time. More caches than that
// need another chunk. If the memory for it is refused, the slot goes to the map, whose memory was mapped with its slab,
// and from where allocate() takes it before it adds a slab. So no slot is lost, with any number of caches.
template <class Traits = default_traits>
class slot_pool {
 public:
  using source = typename Traits::source;
  static constexpr std::size_t slot_bytes = 64;
  static constexpr std::size_t slots_per_slab = std::size_t{1} << Traits::slab_bits;
  static constexpr std::uint32_t magazine_capacity = Traits::magazine_capacity;
  // A cache gets this many slots first, so that a thread that needs few slots keeps few from the others.
  static constexpr std::uint32_t first_carve = std::min(Traits::magazine_capacity, limits::first_carve);
  static constexpr std::size_t map_group = free_map<Traits>::group_slots;  // what a take from the map hides from others

  // Maps the directory and reserves; ready() says whether both succeeded.
  slot_pool(source& pages, std::size_t reserve_slots, std::size_t cold_bytes_per_slot = Traits::cold_bytes) noexcept;
  // Releases everything, the caches' magazines included. No other thread may be inside.
  ~slot_pool();
  slot_pool(const slot_pool&) = delete;
  slot_pool& operator=(const slot_pool&) = delete;

  bool ready() const noexcept { return ready_; }
  // Maps the slabs and magazines of the first `slots` slots; false when memory is refused or the pool cannot be that
  // large. A slot in another thread's cache (two magazines at most) is not available to this one: count these when
  // reserving.
  bool reserve(std::size_t slots) noexcept;
  // Touches the pages of the first `slots` slots, which must be reserved, before they are used.
  void touch(std::size_t slots) noexcept;

  // Returns a free slot: the one that this cache freed last, if it has any. It is zeroed if it was never handed out
  // before, else as it was left. no_slot when out of memory.
  slot_index allocate(slot_cache& cache) noexcept;
  // Takes back a slot from any thread. Never fails.
  void free(slot_cache& cache, slot_index slot) noexcept;
  // For a thread's end: gives everything that the cache holds to the others.
  void flush(slot_cache& cache) noexcept;
  // Returns true if tidy() has something to do.
  bool is_untidy() const noexcept { return full_.depth() > Traits::shallow; }
  // Sorts a magazine of the surplus, in slices of a quarter of a microsecond. Ends early if `stop()` says so between
  // two of them. Any thread that has time may call it.
  template <class Stop>
  void tidy(Stop&& stop) noexcept;

  // Gives the kernel the memory of slots that have been free since the call before, in this thread's cache or in no
  // cache. Ends early as tidy() does. Returns true if there is more for the next call. One thread at a time, and
  // `cache` is its own. The first 8 bytes of a slot must be a number that never falls, on any thread, and that is 0 in
  // a slot never handed out. A slot that comes from the kernel has the largest of its neighbours there, and zeroes
  // after it.
  template <class Stop>
  bool give_back(slot_cache& cache, Stop&& stop) noexcept;
  // A hint of how many free slots are in no cache.
  std::uint32_t surplus() const noexcept { return full_.depth() * magazine_capacity + map_.held(); }

  // The slot's 64 bytes. The index must have reached this thread by synchronisation with the one that allocated it.
  void* hot(slot_index slot) const noexcept;
  // The slot's bytes in its slab's cold array, also zeroed at first; not to be called if cold_bytes_per_slot is 0.
  void* cold(slot_index slot) const noexcept;
  // Every slot that was ever handed out to a thread with which this one has synchronised has an index below this. Slots
  // below are mapped.
  slot_index carved() const noexcept { return carved_.load(base::acquire); }  // (1) pairs with (2)

 private:
  static_assert(magazine_capacity != 0);
  static_assert(Traits::slab_bits < 32, "an index is 32 bits");

  using piece = base::atomic<std::byte*>;
  // The address at which slot 0 would lie if the slab went back that far, plus one. So a slot is found by its index as
  // it is, and no slab is 0.
  using slab_origin = base::atomic<std::uintptr_t>;
  static_assert(sizeof(slab_origin) == sizeof(piece));
  static constexpr std::size_t pieces_bytes = Traits::max_slabs * 2 * sizeof(piece);
  // The offset of the slabs' entries. At 0, the first of them and the first slot would have the same set of an L1 cache
  // in every pool, and a thread that uses many pools loads both in each call.
  static constexpr std::size_t skew = 32 * 64;
  static constexpr std::size_t directory_bytes = skew + pieces_bytes + free_map<Traits>::root_bytes;
  static constexpr std::size_t slab_bytes = slots_per_slab * slot_bytes;
  // The last magazine's worth of indices stays unused: the counter cannot wrap, and no_slot is no slot.
  static constexpr std::uint64_t largest = (std::uint64_t{1} << 32) - magazine_capacity;
  static constexpr std::uint64_t limit =
      Traits::max_slabs * slots_per_slab < largest ? Traits::max_slabs * slots_per_slab : largest;

  slot_index allocate_slow(slot_cache& cache) noexcept;
  void free_slow(slot_cache& cache, slot_index slot) noexcept;
  slot_index take(slot_cache& cache) noexcept;
  bool take_from_map(slot_cache& cache) noexcept;
  void revive(slot_index first, std::uint64_t lives) const noexcept;
  std::uint64_t give_back(slot_index first, slot_index count) noexcept;
  base::atomic<std::uint64_t>& lives_of(slot_index slot) const noexcept {
    return *static_cast<base::atomic<std::uint64_t>*>(hot(slot));
  }
  bool has_magazine(slot_cache& cache) noexcept;
  void fetch_all(const slot_cache& cache) const noexcept;
  void leave(magazine& left) noexcept;
  std::uint32_t carve(slot_index* out, std::uint32_t wanted) noexcept;
  bool add_slab(std::size_t slab) noexcept;
  static std::uintptr_t origin_of(const std::byte* memory, std::size_t slab) noexcept {
    return reinterpret_cast<std::uintptr_t>(memory) - slab * slab_bytes + 1;
  }
  std::size_t cold_array_bytes() const noexcept { return (slots_per_slab * cold_bytes_ + 63) / 64 * 64; }
  std::size_t cold_part_bytes() const noexcept { return cold_array_bytes() + free_map<Traits>::bytes_per_slab; }

  // Read by all, written when a slab is added.
  slab_origin* slabs_ =
      nullptr;  // the directory: slabs; their cold parts (cold array, part of the map); the map's root
  piece* cold_parts_ = nullptr;
  const std::size_t cold_bytes_;
  const std::size_t reserved_;
  source& pages_;
  bool ready_ = false;
  // Written on the slow path.
  alignas(64) base::atomic<slot_index> carved_{0};
  free_map<Traits> map_;
  depot full_;
  depot partial_;
  magazine_store<Traits> magazines_;
};

template <class Traits>
inline slot_index slot_pool<Traits>::allocate(slot_cache& cache) noexcept {
  if (cache.empty_handed()) [[unlikely]]
    return allocate_slow(cache);
  return take(cache);
}

template <class Traits>
inline void slot_pool<Traits>::free(slot_cache& cache, slot_index slot) noexcept {
  DETENT_ASSERT(slot < carved());
  if (cache.top_ == cache.end_) [[unlikely]]
    return free_slow(cache, slot);
  *cache.top_++ = slot;
}

template <class Traits>
inline void* slot_pool<Traits>::hot(slot_index slot) const noexcept {
  // relaxed: the thread that allocated the slot had seen the slab at (3), and its index came here by synchronisation.
  std::uintptr_t origin = slabs_[slot >> Traits::slab_bits].load(base::relaxed);
  return reinterpret_cast<void*>(origin + std::uintptr_t{slot} * slot_bytes - 1);
}

template <class Traits>
inline void* slot_pool<Traits>::cold(slot_index slot) const noexcept {
  // relaxed: as in hot(); the cold part is there before its slab.
  return cold_parts_[slot >> Traits::slab_bits].load(base::relaxed) + (slot & (slots_per_slab - 1)) * cold_bytes_;
}

template <class Traits>
inline slot_index slot_pool<Traits>::take(slot_cache& cache) noexcept {
  return *--cache.top_;
}

}  // namespace detent::alloc

#include <detent/alloc/slot_pool_slow.hpp>
