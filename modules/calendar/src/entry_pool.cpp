// SPDX-License-Identifier: MIT
#include "entry_pool.hpp"

#include <new>

namespace detent::detail {

entry_pool::~entry_pool() {
  for (auto& chunk : chunks_) delete[] chunk.load(base::relaxed);  // relaxed: no other thread is left
}

calendar_entry& entry_pool::take() {
  const std::lock_guard lock(taking_);
  if (free_.load(base::relaxed) == nullptr) grow();  // relaxed: only the holder of this lock takes entries
  calendar_entry* top = free_.load(base::acquire);   // (3) acquire: pairs with (4), for next_free
  // (5) acquire: pairs with (4), for next_free.
  while (!free_.compare_exchange_weak(top, top->next_free, base::acquire, base::acquire)) {
  }
  return *top;
}

void entry_pool::give_back(calendar_entry& entry) noexcept {
  entry.next_free = free_.load(base::relaxed);  // relaxed: the exchange checks it
  // (4) release: pairs with (3) and (5)
  while (!free_.compare_exchange_weak(entry.next_free, &entry, base::release, base::relaxed)) {
  }
}

void entry_pool::grow() {
  std::size_t place = 0;
  while (place < chunks_.size() && chunks_[place].load(base::relaxed) != nullptr) ++place;  // relaxed: the lock is held
  if (place == chunks_.size()) throw std::bad_alloc();
  auto* const chunk = new calendar_entry[size_of(place)];
  chunks_[place].store(chunk, base::release);  // (2) release: pairs with (1)
  for (std::size_t at = size_of(place); at-- > 0;) give_back(chunk[at]);
}

}  // namespace detent::detail
