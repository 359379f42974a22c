// SPDX-License-Identifier: MIT
// A bounded MPSC ring from any thread to the thread that writes a recording: places in one order, taken before they
// are filled.
#pragma once

#include <detent/base/atomic.hpp>

#include "observe/recording_port.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace detent::detail {

static_assert(sizeof(operation) == 40, "a place in the ring is one cache line");

// A bounded MPSC ring. Lock-free for producers; one thread takes out, in the order in which the places were taken. A
// place that is taken but not yet filled holds back all after it.
class operation_ring {
 public:
  struct alignas(64) place {
    base::atomic<std::uint64_t> turn{0};  // whose it is: at `position` free, one later filled
    std::uint64_t position = 0;           // of the thread that took it
    std::uint64_t lost = 0;               // operations that found no room just before
    operation what;
  };

  // Throws bad_alloc.
  explicit operation_ring(std::size_t room) : mask_(std::bit_ceil(room) - 1), places_(new place[mask_ + 1]) {
    for (std::size_t i = 0; i <= mask_; ++i) places_[i].turn.store(i, base::relaxed);  // relaxed: no other thread yet
  }

  // Null: all are taken. Never waits. Of two calls of which one happens before the other, it has the earlier place.
  place* take() noexcept {
    std::uint64_t at = next_.load(base::relaxed);  // relaxed: the exchange confirms it
    for (;;) {
      place& found = places_[at & mask_];
      const std::uint64_t turn = found.turn.load(base::acquire);  // (1) acquire: pairs with (3)
      if (turn == at) {
        // Relaxed: what is put there is published by (2), and one atomic has one order by itself.
        if (next_.compare_exchange_weak(at, at + 1, base::relaxed, base::relaxed)) {
          found.position = at;
          return &found;
        }
      } else if (static_cast<std::int64_t>(turn - at) < 0) {
        return nullptr;
      } else {
        at = next_.load(base::relaxed);  // relaxed: as above
      }
    }
  }
  // Lets a place be taken out that has been written. True: a quarter has been filled since this was last true.
  bool fill(place& taken) noexcept {
    const std::uint64_t position = taken.position;
    taken.turn.store(position + 1, base::release);  // (2) release: pairs with (4)
    return (position & (mask_ >> 2)) == 0;
  }

  // --- The one thread that takes out

  // Null: there is none, or the next one is not filled yet.
  const place* front() const noexcept {
    const place& next = places_[first_ & mask_];
    return next.turn.load(base::acquire) == first_ + 1 ? &next : nullptr;  // (4) acquire: pairs with (2)
  }
  // The first one, once it has been read.
  void pop() noexcept {
    places_[first_ & mask_].turn.store(first_ + mask_ + 1, base::release);  // (3) release: pairs with (1)
    ++first_;
  }
  // How many have been taken and not taken out; of those that take one at this moment it may or may not know.
  std::uint64_t size() const noexcept { return next_.load(base::relaxed) - first_; }  // relaxed: a mere answer

 private:
  const std::uint64_t mask_;
  const std::unique_ptr<place[]> places_;
  alignas(64) base::atomic<std::uint64_t> next_{0};
  alignas(64) std::uint64_t first_ = 0;
};

}  // namespace detent::detail
