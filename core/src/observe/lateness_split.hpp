// SPDX-License-Identifier: MIT
#pragma once

#include <detent/executor.hpp>
#include <detent/time.hpp>
#include "limits.hpp"
#include "timer/node.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace detent::detail {

// Splits lateness by cause, from the readings of the clock that the driver makes anyway. Used by the driver alone.
class lateness_split {
 public:
  // The driver goes to wait, or away.
  void wait_begins() noexcept {
    away_ = true;
    away_since_ = last_look_;
  }
  // A reading. The first one after a wait marks the wait's end.
  void looked(nanoseconds_t now) noexcept {
    last_look_ = now;
    if (away_) back_at_ = now;
    away_ = false;
  }
  void looked_again(nanoseconds_t now) noexcept { last_look_ = now; }

  // A batch is taken out of the submission queue, by the time of the last reading.
  void drain_begins() noexcept {
    drain_ = drain_.next_late_drain();
    drained_at_[drain_.number() % drained_at_.size()] = last_look_;
  }
  bool is_late(nanoseconds_t deadline) const noexcept { return deadline < last_look_; }
  // The `placed` of a node that was drained late, in the batch being drained; and the part of it that its due entry
  // keeps. Zero: it was drained in time.
  placement late_drain() const noexcept { return drain_; }
  std::uint32_t taken_up(placement noted, nanoseconds_t deadline) const noexcept {
    if (!noted.is_late_drain()) [[likely]]
      return 0;
    // For a drain that is forgotten by now, it is later than it was.
    return packed(subtract_saturated(drained_at_[noted.number() % drained_at_.size()], deadline));
  }

  // Splits the lateness of a timer whose turn comes at `now`, `late` after its deadline.
  lateness_parts split(nanoseconds_t deadline, nanoseconds_t late, std::uint32_t taken_up) const noexcept {
    const nanoseconds_t drain = std::min(unpacked(taken_up), late);
    lateness_parts parts = split(add_saturated(deadline, drain), late - drain);
    parts.drain = drain;
    return parts;
  }
  // Does so for a timer that was drained in time.
  lateness_parts split(nanoseconds_t deadline, nanoseconds_t late) const noexcept {
    lateness_parts parts;
    // Unsigned, because the two may lie further apart than the signed range.
    const nanoseconds_t waits = std::max(deadline, away_since_);
    if (waits < back_at_) {
      parts.wait = static_cast<nanoseconds_t>(std::min(
          static_cast<std::uint64_t>(back_at_) - static_cast<std::uint64_t>(waits), static_cast<std::uint64_t>(late)));
    }
    parts.worker = late - parts.wait;
    return parts;
  }

 private:
  // How late it was drained, in 32 bits: nanoseconds up to two seconds, then milliseconds, some 26 days at most. Zero:
  // in time, which it was if it has been restarted since.
  static constexpr std::uint32_t coarse = 1u << 31;
  static constexpr std::uint32_t packed(nanoseconds_t late) noexcept {
    if (late <= 0) return 0;
    if (late < coarse) return static_cast<std::uint32_t>(late);
    return coarse | static_cast<std::uint32_t>(std::min<nanoseconds_t>(late >> 20, coarse - 1));
  }
  static constexpr nanoseconds_t unpacked(std::uint32_t late) noexcept {
    return (late & coarse) == 0 ? late : nanoseconds_t{late & ~coarse} << 20;
  }

  nanoseconds_t last_look_ = INT64_MIN;
  nanoseconds_t back_at_ = INT64_MIN;
  nanoseconds_t away_since_ = INT64_MIN;
  bool away_ = true;
  placement drain_ = placement::first_late_drain();
  std::array<nanoseconds_t, limits::late_drains> drained_at_{};
};

}  // namespace detent::detail
