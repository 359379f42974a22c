// SPDX-License-Identifier: MIT
// A lock-free stack of magazines: a Treiber stack, tagged against ABA.
#pragma once

#include <detent/alloc/magazine.hpp>
#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>

#include <cstdint>

namespace detent::alloc {

// Any thread may push and pop. Lock-free: one 16-byte compare-and-swap for each magazine, repeated only when another
// thread got there first. The tag counts every change of the head, so that a head which went away and came back is
// recognised. The functions are not inlined, because no call is on a fast path.
class alignas(64) depot {
 public:
  // Hands the magazine over, with all that was written to it.
  void push(magazine& pushed) noexcept;
  // Returns the magazine pushed last, or nullptr if there is none.
  magazine* pop() noexcept;
  // Returns how many there are. It is a hint, because others push and pop.
  std::uint32_t depth() const noexcept { return depth_of(top(head())); }

 private:
  base::pair_value head() const noexcept;
  static magazine* top(base::pair_value head) noexcept { return reinterpret_cast<magazine*>(head.low); }
  // relaxed: published by (3). If another thread has taken the magazine, the number may be anything, like the link at
  // (2).
  static std::uint32_t depth_of(const magazine* from) noexcept {
    return from == nullptr ? 0 : from->depth.load(base::relaxed);
  }

  base::atomic_pair head_;  // low: the top magazine's address; high: the tag
};

inline base::pair_value depot::head() const noexcept {
  // (1) acquire on both: pairs with (3) and (4), so that the link read at (2) is no older than either half. The two
  // halves may be of two different heads; such a pair never existed, for no tag comes twice, and the exchange refuses
  // it.
  return {head_.low.load(base::acquire), head_.high.load(base::acquire)};
}

DETENT_NOINLINE inline void depot::push(magazine& pushed) noexcept {
  for (;;) {
    base::pair_value seen = head();
    pushed.link.store(top(seen), base::relaxed);  // relaxed, both: published by (3)
    pushed.depth.store(depth_of(top(seen)) + 1, base::relaxed);
    // (3) releases the magazine's contents and link: pairs with (1) and (4).
    if (head_.compare_exchange(seen, {reinterpret_cast<std::uint64_t>(&pushed), seen.high + 1})) return;
  }
}

DETENT_NOINLINE inline magazine* depot::pop() noexcept {
  for (;;) {
    base::pair_value seen = head();
    magazine* taken = top(seen);
    if (taken == nullptr) return nullptr;
    // (2) relaxed: ordered after (3) by (1). If another thread has taken the magazine the link may be anything,
    // and the tag has moved on.
    magazine* next = taken->link.load(base::relaxed);
    // (4) acquires what (3) released, and releases nothing of its own.
    if (head_.compare_exchange(seen, {reinterpret_cast<std::uint64_t>(next), seen.high + 1})) return taken;
  }
}

}  // namespace detent::alloc
