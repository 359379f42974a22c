// SPDX-License-Identifier: MIT
#include "callers/inbox.hpp"

#include <detent/base/compiler.hpp>

#include <memory>
#include <new>

namespace detent::detail {

void inbox::leave(thread_record& leaving) noexcept {
  queue_.leave(leaving.pushed);
  // Relaxed: the thread's own.
  if (producer* const critical = leaving.critical.load(base::relaxed)) critical_.leave(*critical);
}

void inbox::retire(thread_record& old) noexcept {
  queue_.retire(old.pushed);
  // Relaxed: made by a call, and those have ended.
  if (producer* const critical = old.critical.load(base::relaxed)) critical_.retire(*critical);
}

void inbox::push_reaps(thread_record& mine) noexcept {
  reap_batch& batch = *mine.reaps;
  if (batch.count != 0) push_many(mine, batch.entries.data(), std::exchange(batch.count, 0), forever, false);
}

void inbox::add_reap(thread_record& mine, std::uint64_t entry) noexcept {
  mine.reaps->entries[mine.reaps->count++] = entry;
  if (mine.reaps->count == mine.reaps->entries.size()) push_reaps(mine);
}

// The thread's part of the critical queue, which its first critical timer makes. Null where there is no memory for it.
producer* inbox::critical_of(thread_record& mine) noexcept {
  producer* own = mine.critical.load(base::relaxed);  // relaxed: the thread's own
  if (own != nullptr) [[likely]]
    return own;
  std::unique_ptr<producer> made(new (std::nothrow) producer);
  if (made == nullptr || !critical_.enrol(*made)) return nullptr;
  own = made.release();
  mine.critical.store(own, base::release);  // (1) release: pairs with (3) of thread_registry.cpp
  return own;
}

DETENT_NOINLINE void inbox::report_pushes(thread_record& mine, std::uint64_t count) noexcept {
  if (!unread_.add(count)) return;
  DETENT_PROBE(ring, engine_, forever);  // because the backlog is full
  after_ring(mine, bell_.ring());
}

DETENT_NOINLINE void inbox::ring_for_earlier(thread_record& mine, nanoseconds_t deadline) noexcept {
  DETENT_PROBE(ring, engine_, deadline);
  after_ring(mine, bell_.ring_for_earlier(deadline));
}

void inbox::after_ring(thread_record& mine, doorbell::ring_result result) noexcept {
  if (result == doorbell::ring_result::rang_already) return;
  mine.counts.add(counter::rings);
  if (result != doorbell::ring_result::needs_signal) return;
  call_hazard::fenced_scope in_use(mine.hazard);  // the engine's end does not close the descriptor under the signal
  fd_.signal();
}

}  // namespace detent::detail
