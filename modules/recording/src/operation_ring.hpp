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

// A bounded MPSC ring. It is lock-free for producers. One thread takes operations out, in the order in which the places
// were taken. A place that was taken and is not yet filled holds back all later ones.
class operation_ring {
 public:
  struct alignas(64) place {
    base::atomic<std::uint64_t> turn{0};  // equals `position` if the place is free, and one more once it is filled
    std::uint64_t position = 0;           // used by the thread that took it
    std::uint64_t lost = 0;               // operations that found no room immediately before
    operation what;
  };

  // Throws bad_alloc.
  explicit operation_ring(std::size_t room) : mask_(std::bit_ceil(room) - 1), places_(new place[mask_ + 1]) {
    // relaxed: no other thread has it yet.
    for (std::size_t i = 0; i <= mask_; ++i) places_[i].turn.store(i, base::relaxed);
  }

  // Returns null if all places are taken. Never waits. If one call happens before another, it gets the earlier place.
  place* take() noexcept {
    std::uint64_t at = next_.load(base::relaxed);  // relaxed: the exchange confirms it
    for (;;) {
      place& found = places_[at & mask_];
      const std::uint64_t turn = found.turn.load(base::acquire);  // (1) acquire: pairs with (3)
      if (turn == at) {
        // relaxed: (2) publishes the contents, and the order of exchanges on one atomic needs no more.
        if (next_.compare_exchange_weak(at, at + 1, base::relaxed, base::relaxed)) {
          found.position = at;
          return &found;
        }
      } else if (static_cast<std::int64_t>(turn - at) < 0) {
        return nullptr;
      } else {
        at = next_.load(base::relaxed);  // relaxed: the exchange confirms it
      }
    }
  }
  // Lets a place be taken out after it was written. Returns true each time that another quarter of the ring has been
  // filled.
  bool fill(place& taken) noexcept {
    const std::uint64_t position = taken.position;
    taken.turn.store(position + 1, base::release);  // (2) release: pairs with (4)
    return (position & (mask_ >> 2)) == 0;
  }

  // --- For the one thread that takes out

  // Returns null if there is none or the next one is not filled yet.
  const place* front() const noexcept {
    const place& next = places_[first_ & mask_];
    return next.turn.load(base::acquire) == first_ + 1 ? &next : nullptr;  // (4) acquire: pairs with (2)
  }
  // Removes the first one after it was read.
  void pop() noexcept {
    places_[first_ & mask_].turn.store(first_ + mask_ + 1, base::release);  // (3) release: pairs with (1)
    ++first_;
  }
  // Returns how many places are taken. It may miss those that are being taken at this moment.
  std::uint64_t size() const noexcept { return next_.load(base::relaxed) - first_; }  // relaxed: only an estimate

 private:
  const std::uint64_t mask_;
  const std::unique_ptr<place[]> places_;
  alignas(64) base::atomic<std::uint64_t> next_{0};
  alignas(64) std::uint64_t first_ = 0;
};

}  // namespace detent::detail
