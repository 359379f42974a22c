// SPDX-License-Identifier: MIT
// slot_pool off its fast path; included by slot_pool.hpp only.
#pragma once

#include <detent/alloc/slot_pool.hpp>
#include <detent/base/compiler.hpp>

#include <algorithm>

namespace detent::alloc {

template <class Traits>
slot_pool<Traits>::slot_pool(source& pages, std::size_t reserve_slots, std::size_t cold_bytes_per_slot) noexcept
    : cold_bytes_(cold_bytes_per_slot), reserved_(reserve_slots), pages_(pages), magazines_(pages) {
  // Zeroed memory serves as null pointers; constructing them would touch, and so pay for, the whole directory.
  void* directory = pages_.allocate_sparse(directory_bytes);
  if (directory == nullptr) return;
  auto* const begin = static_cast<std::byte*>(directory);
  slabs_ = reinterpret_cast<slab_origin*>(begin + skew);
  cold_parts_ = reinterpret_cast<piece*>(slabs_ + Traits::max_slabs);
  map_.lay_out(cold_parts_, cold_array_bytes(), begin + skew + pieces_bytes);
  ready_ = reserve(reserve_slots);
}

template <class Traits>
slot_pool<Traits>::~slot_pool() {
  if (slabs_ == nullptr) return;
  // Slabs are added in order except in races and refusals: a cold part may stand alone at the end, but a slab never
  // does. relaxed: the destroying thread has already synchronised with every other thread that used the pool.
  for (std::size_t slab = 0; slab != Traits::max_slabs; ++slab) {
    std::byte* cold_part = cold_parts_[slab].load(base::relaxed);
    if (cold_part == nullptr) break;
    if (std::uintptr_t origin = slabs_[slab].load(base::relaxed))
      pages_.release(reinterpret_cast<void*>(origin + slab * slab_bytes - 1), slab_bytes);
    pages_.release_sparse(cold_part, cold_part_bytes());
  }
  pages_.release_sparse(reinterpret_cast<std::byte*>(slabs_) - skew, directory_bytes);
}

template <class Traits>
bool slot_pool<Traits>::reserve(std::size_t slots) noexcept {
  if (slabs_ == nullptr || slots > limit) return false;
  for (std::size_t slab = 0; slab * slots_per_slab < slots; ++slab) {
    // relaxed: only checks whether it is there.
    if (slabs_[slab].load(base::relaxed) == 0 && !add_slab(slab)) return false;
  }
  return true;
}

template <class Traits>
void slot_pool<Traits>::touch(std::size_t slots) noexcept {
  for (std::size_t slab = 0; slab * slots_per_slab < slots; ++slab)
    pages_.touch(hot(static_cast<slot_index>(slab * slots_per_slab)), slab_bytes);
}

template <class Traits>
slot_index slot_pool<Traits>::allocate_slow(slot_cache& cache) noexcept {
  magazine* other = cache.spare_;
  if (other != nullptr && other->count != 0) {
    cache.exchange_magazines(magazine_capacity);
    return take(cache);
  }
  // If there is a surplus, sorted slots are used before unsorted ones.
  if (is_untidy() && take_from_map(cache)) return take(cache);
  magazine* found = full_.pop();
  if (found == nullptr) found = partial_.pop();
  if (found != nullptr) {
    if (cache.loaded_ != nullptr) {
      cache.loaded_->count = 0;
      if (other != nullptr) magazines_.give(*other);
      cache.spare_ = cache.loaded_;
    }
    cache.load(*found, magazine_capacity);
    fetch_all(cache);
    return take(cache);
  }
  if (take_from_map(cache)) return take(cache);
  const std::uint32_t wanted = cache.loaded_ == nullptr ? first_carve : magazine_capacity;
  if (!has_magazine(cache)) return no_slot;
  cache.top_ = cache.bottom_ + carve(cache.bottom_, wanted);
  return cache.empty_handed() ? no_slot : take(cache);
}

// Loads an empty magazine. Returns false if memory for it is refused.
template <class Traits>
bool slot_pool<Traits>::has_magazine(slot_cache& cache) noexcept {
  if (cache.loaded_ != nullptr) return true;
  magazine* first = magazines_.take();
  if (first == nullptr) return false;
  cache.load(*first, magazine_capacity);
  return true;
}

// Puts the lowest on top, as carve() does.
template <class Traits>
bool slot_pool<Traits>::take_from_map(slot_cache& cache) noexcept {
  if (map_.empty()) return false;
  const std::uint32_t wanted = cache.loaded_ == nullptr ? first_carve : magazine_capacity;
  if (!has_magazine(cache)) return false;
  cache.top_ = cache.bottom_ + map_.take(cache.bottom_, wanted, carved(),
                                         [this](slot_index first, std::uint64_t lives) { revive(first, lives); });
  std::reverse(cache.bottom_, cache.top_);
  fetch_all(cache);
  return !cache.empty_handed();
}

// Slots from another thread are in its core's cache or in none. So all are fetched at once, in parallel; otherwise each
// allocate() would wait for its own.
template <class Traits>
void slot_pool<Traits>::fetch_all(const slot_cache& cache) const noexcept {
  for (const slot_index* each = cache.top_; each != cache.bottom_;) base::prefetch_to_write(hot(*--each));
}

template <class Traits>
void slot_pool<Traits>::free_slow(slot_cache& cache, slot_index slot) noexcept {
  magazine* other = cache.spare_;
  if (other != nullptr && other->count == magazine_capacity && full_.depth() >= Traits::deep) {
    map_.put(other->slots(), magazine_capacity);
    other->count = 0;
  }
  if (other != nullptr && other->count != magazine_capacity) {
    cache.exchange_magazines(magazine_capacity);
  } else {
    magazine* fresh = magazines_.take();
    if (fresh == nullptr) return map_.put(&slot, 1);
    if (cache.loaded_ != nullptr) {
      cache.loaded_->count = cache.count();
      // Of two full magazines, the older one goes, because this core's caches still have what was freed last.
      if (other != nullptr) full_.push(*other);
      cache.spare_ = cache.loaded_;
    }
    cache.load(*fresh, magazine_capacity);
  }
  *cache.top_++ = slot;
}

template <class Traits>
template <class Stop>
void slot_pool<Traits>::tidy(Stop&& stop) noexcept {
  magazine* taken = partial_.pop();
  if (taken == nullptr) taken = full_.pop();
  if (taken == nullptr) return;
  do {
    const std::uint32_t some = std::min(limits::tidy_slice, taken->count);
    taken->count -= some;
    map_.put(taken->slots() + taken->count, some);
  } while (taken->count != 0 && !stop());
  taken->count == 0 ? magazines_.give(*taken) : partial_.push(*taken);
}

template <class Traits>
void slot_pool<Traits>::flush(slot_cache& cache) noexcept {
  if (cache.loaded_ != nullptr) {
    cache.loaded_->count = cache.count();
    leave(*cache.loaded_);
  }
  if (cache.spare_ != nullptr) leave(*cache.spare_);
  cache = slot_cache{};
}

// Slots that an ending thread leaves are not soon wanted again. Except for a few full magazines they are sorted, and
// the memory of their magazine goes to another thread or to the kernel.
template <class Traits>
void slot_pool<Traits>::leave(magazine& left) noexcept {
  if (left.count == magazine_capacity && full_.depth() < Traits::shallow) return full_.push(left);
  map_.put(left.slots(), std::exchange(left.count, 0));
  magazines_.give_back(left);
}

// Fills `out` with slots that were never handed out before: at most as many as wanted, all of one slab, with the lowest
// on top, so that they are first used in the order of their addresses.
template <class Traits>
std::uint32_t slot_pool<Traits>::carve(slot_index* out, std::uint32_t wanted) noexcept {
  if (slabs_ == nullptr) return 0;
  std::uint32_t count = 0;
  slot_index from = carved_.load(base::relaxed);  // relaxed: (2) decides
  do {
    if (from >= limit) return 0;
    std::size_t slab = from >> Traits::slab_bits;
    count = static_cast<std::uint32_t>(std::min<std::size_t>(wanted, (slab + 1) * slots_per_slab - from));
    // (3) acquire: pairs with (4); from here on this thread may touch the slab and its cold part.
    if (slabs_[slab].load(base::acquire) == 0 && !add_slab(slab)) return 0;
    // (2) release: the slab below the new bound is mapped; pairs with (1). relaxed on failure: read again.
  } while (!carved_.compare_exchange_weak(from, from + count, base::release, base::relaxed));
  for (std::uint32_t i = 0; i != count; ++i) out[i] = from + count - 1 - i;
  return count;
}

// Returns true if the slab is there, whichever thread has added it. The cold part comes first, so that a slab is never
// seen without it; then the magazines that its slots may need; then the slab.
template <class Traits>
bool slot_pool<Traits>::add_slab(std::size_t slab) noexcept {
  std::byte* expected = nullptr;
  // (5) acquire: pairs with the release of (6), so that (4) passes the cold part on even if another thread has mapped
  // it.
  if (cold_parts_[slab].load(base::acquire) == nullptr) {
    auto* cold_part = static_cast<std::byte*>(pages_.allocate_sparse(cold_part_bytes()));
    if (cold_part == nullptr) return false;
    // (6) release: pairs with (5); acquire on failure, for the same end as (5).
    if (!cold_parts_[slab].compare_exchange_strong(expected, cold_part, base::release, base::acquire)) {
      pages_.release_sparse(cold_part, cold_part_bytes());
    }
  }
  // The first slab of a pool that reserves less stays small. A pool that has grown beyond it fills the other slabs.
  const bool full = slab != 0 || slots_per_slab <= reserved_;
  auto* memory = static_cast<std::byte*>(pages_.allocate(slab_bytes, full));
  if (memory == nullptr) return false;
  if (!magazines_.grow()) {
    pages_.release(memory, slab_bytes);
    return false;
  }
  std::uintptr_t nothing = 0, origin = origin_of(memory, slab);
  // (4) release: publishes the cold part and the zeroed slab; pairs with (3). acquire on failure: as (3).
  if (!slabs_[slab].compare_exchange_strong(nothing, origin, base::release, base::acquire)) {
    pages_.release(memory, slab_bytes);
  }
  return true;
}

// relaxed, here and below: the slots are this thread's, but holders of old handles may read them.
template <class Traits>
void slot_pool<Traits>::revive(slot_index first, std::uint64_t lives) const noexcept {
  for (slot_index each = first; each != first + 64; ++each) lives_of(each).store(lives, base::relaxed);
}

// Returns 0 if one of them has lived half of all possible lives, which all of them would then share.
template <class Traits>
std::uint64_t slot_pool<Traits>::give_back(slot_index first, slot_index count) noexcept {
  std::uint64_t most = 1;
  for (slot_index each = first; each != first + count; ++each)
    most = std::max(most, lives_of(each).load(base::relaxed));
  if (most >> 63 != 0) return 0;
  pages_.give_back(hot(first), count * slot_bytes);
  return most;
}

template <class Traits>
template <class Stop>
bool slot_pool<Traits>::give_back(slot_cache& cache, Stop&& stop) noexcept {
  flush(cache);
  while (full_.depth() != 0 && !stop()) tidy(stop);
  if (magazine* left = partial_.pop()) {
    map_.put(left->slots(), std::exchange(left->count, 0));
    magazines_.give(*left);
  }
  bool more = false;
  for (std::size_t group = 0; group != map_.groups_below(carved()); ++group) {
    if (stop()) return true;
    more |= map_.give_back(group, [this](slot_index first, slot_index count) { return give_back(first, count); });
  }
  return more;
}

extern template class slot_pool<default_traits>;

}  // namespace detent::alloc
