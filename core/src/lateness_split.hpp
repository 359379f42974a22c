// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detail/node.hpp>
#include <detent/time.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace detent::detail {

// What a timer's lateness up to its hand-over consists of; they add up to it.
struct lateness_parts {
  nanoseconds_t drain = 0;   // until it was taken up
  nanoseconds_t wait = 0;    // then until the driver was back from its wait
  nanoseconds_t worker = 0;  // then until its turn
};

// Splits lateness by cause, from the readings of the clock that the driver makes anyway. The driver's own.
class lateness_split {
 public:
  // The driver goes to wait, or away.
  void wait_begins() noexcept { back_at_ = forever; }
  // A reading. The first one since the wait tells its end.
  void looked(nanoseconds_t now) noexcept {
    last_look_ = now;
    if (back_at_ == forever) back_at_ = now;
  }
  void looked_again(nanoseconds_t now) noexcept { last_look_ = now; }

  // A batch is taken out of the submission queue, by the time of the last reading.
  void drain_begins() noexcept {
    drains_ = (drains_ + 1) % (first_pass_stamp - first_late_drain);
    drained_at_[drains_ % drained_at_.size()] = last_look_;
  }
  bool is_late(nanoseconds_t deadline) const noexcept { return deadline < last_look_; }
  // What a node's `placement` says that was taken up late, in the batch being drained; and what its due entry keeps of
  // that. Zero: it was taken up in time.
  std::uint32_t placement() const noexcept { return first_late_drain + drains_; }
  std::uint32_t taken_up(std::uint32_t placement) const noexcept {
    if (placement - first_late_drain >= first_pass_stamp - first_late_drain) [[likely]]
      return 0;
    // Of a drain that is forgotten by now: later than it was.
    const nanoseconds_t at = drained_at_[placement % drained_at_.size()];
    return static_cast<std::uint32_t>(at - 1) | 1;
  }

  // Of a timer whose turn comes at `now`, not before its deadline.
  lateness_parts split(nanoseconds_t deadline, std::uint32_t taken_up, nanoseconds_t now) const noexcept {
    lateness_parts parts;
    nanoseconds_t left = subtract_saturated(now, deadline);
    if (taken_up != 0) [[unlikely]] {
      const nanoseconds_t since = static_cast<std::uint32_t>(now) - taken_up;  // modulo 2^32, some four seconds
      parts.drain = std::max<nanoseconds_t>(left - since, 0);
      left -= parts.drain;
    }
    parts.wait = std::clamp<nanoseconds_t>(subtract_saturated(left, subtract_saturated(now, back_at_)), 0, left);
    parts.worker = left - parts.wait;
    return parts;
  }

 private:
  nanoseconds_t last_look_ = INT64_MIN;
  nanoseconds_t back_at_ = forever;
  std::uint32_t drains_ = 0;
  std::array<nanoseconds_t, 256> drained_at_{};
};

}  // namespace detent::detail
