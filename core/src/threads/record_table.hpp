// SPDX-License-Identifier: MIT
// One thread's records, by engine: an open-addressed hash table with linear probing.
#pragma once

#include <detent/base/compiler.hpp>

#include "limits.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace detent::detail {

struct thread_record;

// Belongs to one thread. Trivial, so that reading it from a thread's static storage calls nothing; release() frees it.
class record_table {
 public:
  struct place {
    const void* engine = nullptr;     // its address, which another engine may have after its end
    thread_record* record = nullptr;  // null: the place is free
  };

  // Returns the place of the engine, or of an earlier one at that address, or null if there is none.
  DETENT_ALWAYS_INLINE place* find(const void* engine) const noexcept {
    if (size_ == 0) return nullptr;
    std::size_t at = begin_of(engine);
    while (places_[at].record != nullptr && places_[at].engine != engine) at = next(at);
    return places_[at].record != nullptr ? &places_[at] : nullptr;
  }
  // Adds a record for an engine that find() does not find. When the table is full, forget(place) is called for each
  // place for which is_dead(place) holds. Throws bad_alloc, and then nothing has changed.
  template <class Dead, class Forget>
  void add(const place& added, Dead&& is_dead, Forget&& forget) {
    if (4 * (count_ + 1) > size_) make_room(is_dead, forget);
    put(added);
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t at = 0; at != size_; ++at) {
      if (places_[at].record != nullptr) f(places_[at]);
    }
  }
  void release() noexcept {
    delete[] places_;
    *this = {};
  }

 private:
  // Fibonacci hashing: engines lie at multiples of their size.
  std::size_t begin_of(const void* engine) const noexcept {
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(engine) * 0x9e3779b97f4a7c15 >> 32) & (size_ - 1);
  }
  std::size_t next(std::size_t at) const noexcept { return (at + 1) & (size_ - 1); }
  void put(const place& added) noexcept {
    std::size_t at = begin_of(added.engine);
    while (places_[at].record != nullptr) at = next(at);
    places_[at] = added;
    ++count_;
  }
  template <class Dead, class Forget>
  void make_room(Dead& is_dead, Forget& forget) {
    std::size_t living = 0;
    for_each([&](const place& each) {
      if (!is_dead(each)) ++living;
    });
    record_table grown;
    grown.size_ = limits::record_places * std::bit_ceil(living + 1);
    grown.places_ = new place[grown.size_];
    for_each([&](place& each) { is_dead(each) ? forget(each) : grown.put(each); });
    delete[] std::exchange(*this, grown).places_;
  }

  place* places_ = nullptr;
  // A power of two, or 0; at most a quarter of it is used, so that most are found at the first look.
  std::size_t size_ = 0;
  std::size_t count_ = 0;
};

}  // namespace detent::detail
