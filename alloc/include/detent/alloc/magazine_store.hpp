// SPDX-License-Identifier: MIT
// The memory of a pool's magazines, and the empty ones among them.
#pragma once

#include <detent/alloc/depot.hpp>
#include <detent/alloc/item_array.hpp>
#include <detent/alloc/limits.hpp>
#include <detent/alloc/magazine.hpp>
#include <detent/base/atomic.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace detent::alloc {

// Magazines are carved one by one from chunks of sparse memory, so one that was never needed costs no resident byte.
// Magazines that threads leave at their end go back to their chunks by the page. Chunks form a list that only grows:
// when one is used up, carving goes on in the next. Any thread may call anything.
template <class Traits>
class magazine_store {
 public:
  using source = typename Traits::source;
  // The magazines for one slab's slots, and two for each of two caches.
  static constexpr std::uint32_t magazines_per_chunk =
      (std::uint32_t{1} << Traits::slab_bits) / Traits::magazine_capacity + 4;

  explicit magazine_store(source& pages) noexcept : pages_(pages) {}
  ~magazine_store();
  magazine_store(const magazine_store&) = delete;
  magazine_store& operator=(const magazine_store&) = delete;

  // An empty magazine; nullptr when memory is refused. Lock-free; a system call only when every chunk is used up.
  magazine* take() noexcept;
  // Takes back an empty magazine. Lock-free.
  void give(magazine& emptied) noexcept { empty_.push(emptied); }
  // Takes one back when a thread ends. A few stay as they are for the next thread; the pages of others go to the
  // kernel.
  void give_back(magazine& emptied) noexcept;
  // Maps one more chunk ahead; false when memory is refused.
  bool grow() noexcept;

 private:
  static constexpr std::size_t stride =
      (sizeof(magazine) + Traits::magazine_capacity * sizeof(slot_index) + 63) / 64 * 64;
  static constexpr std::size_t magazines_bytes = magazines_per_chunk * stride;
  using magazine_array = item_array<stride>;
  // The end of the chunk's memory, which begins with the magazines. Zeroed memory is an empty magazine.
  struct alignas(64) chunk {
    base::atomic<chunk*> next{nullptr};
    std::array<typename magazine_array::word, magazine_array::words_for(magazines_per_chunk)> in_use{};

    std::byte* memory() noexcept { return reinterpret_cast<std::byte*>(this) - magazines_bytes; }
    magazine_array magazines() noexcept { return {in_use.data(), memory(), magazines_per_chunk}; }
  };
  static constexpr std::size_t chunk_bytes = magazines_bytes + sizeof(chunk);

  static magazine* carve(chunk& from) noexcept;

  source& pages_;
  base::atomic<chunk*> first_{nullptr};
  base::atomic<chunk*> current_{nullptr};  // where carving goes on; null: at the first chunk
  base::atomic<chunk*> last_{nullptr};     // a hint: a chunk near the end of the list
  depot empty_;
};

template <class Traits>
magazine_store<Traits>::~magazine_store() {
  // relaxed: the destroying thread has already synchronised with every other thread that used the store.
  for (chunk* each = first_.load(base::relaxed); each != nullptr;) {
    chunk* next = each->next.load(base::relaxed);
    pages_.release_sparse(each->memory(), chunk_bytes);
    each = next;
  }
}

template <class Traits>
magazine* magazine_store<Traits>::take() noexcept {
  if (magazine* emptied = empty_.pop()) return emptied;
  for (;;) {
    chunk* from = current_.load(base::acquire);  // (1) pairs with (2)
    if (from != nullptr) {
      if (magazine* fresh = carve(*from)) return fresh;
    }
    chunk* next = from == nullptr ? first_.load(base::acquire) : from->next.load(base::acquire);  // (3) pairs with (4)
    if (next == nullptr) {
      if (!grow()) return nullptr;
      continue;
    }
    // (2) release: passes on what (3) saw, to (1). On failure another thread has moved on, and this one reads again;
    // relaxed, because nothing is read through it.
    current_.compare_exchange_strong(from, next, base::release, base::relaxed);
  }
}

template <class Traits>
magazine* magazine_store<Traits>::carve(chunk& from) noexcept {
  std::size_t first = 0;
  return reinterpret_cast<magazine*>(from.magazines().take(first));
}

template <class Traits>
void magazine_store<Traits>::give_back(magazine& emptied) noexcept {
  if (empty_.depth() < limits::magazines_kept) return give(emptied);
  chunk* of = first_.load(base::acquire);                                         // (3)
  while (!of->magazines().contains(&emptied)) of = of->next.load(base::acquire);  // (3)
  const magazine_array all = of->magazines();
  all.put_back(all.number_of(&emptied), [this](std::byte* at, std::size_t bytes) { pages_.give_back(at, bytes); });
  // Carving starts over. relaxed: nothing is read through it. A thread that moves on at this moment may pass the
  // magazine that was put back; it is found after the next one.
  current_.store(nullptr, base::relaxed);
}

template <class Traits>
bool magazine_store<Traits>::grow() noexcept {
  auto* const memory = static_cast<std::byte*>(pages_.allocate_sparse(chunk_bytes));
  if (memory == nullptr) return false;
  chunk* added = new (memory + magazines_bytes) chunk;
  chunk* end = last_.load(base::acquire);  // (5) pairs with (6)
  for (;;) {
    base::atomic<chunk*>& link = end == nullptr ? first_ : end->next;
    chunk* beyond = nullptr;
    // (4) release: the chunk's head is written; pairs with (3) and with the acquire of another grower that finds it
    // here.
    if (link.compare_exchange_strong(beyond, added, base::release, base::acquire)) break;
    end = beyond;
  }
  last_.store(added, base::release);  // (6) pairs with (5)
  return true;
}

}  // namespace detent::alloc
