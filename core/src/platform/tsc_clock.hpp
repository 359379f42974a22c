// SPDX-License-Identifier: MIT
// A clock that reads the time-stamp counter; its parameters are published under a seqlock.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <cstdint>

namespace detent::detail {

// The processor's time-stamp counter, in the nanoseconds of steady_clock. One for the process.
//
// An anchor is a reading of steady_clock with a reading of the counter on either side. It is used for a tenth of a
// millisecond; the next thread that reads the clock takes a new one. How fast the counter runs is measured over a
// second or more. steady_clock may have been slewed by -500 ppm during that time and by +500 ppm since:
// not_before_now() allows for it. When two anchors differ by more than that, as after a suspend or where steady_clock
// is slewed by more, all readings are steady_clock's until the counter has run evenly for a second.
class tsc_clock {
 public:
  // Null where the TSC is not invariant. The first call takes some milliseconds.
  static tsc_clock* shared() noexcept;

  // The likely time. Two readings may be out of order by the error of their anchors.
  nanoseconds_t now() noexcept { return read(likely_); }
  // Not before any reading of steady_clock that was taken before the call. Later by 0.3 us at most, unless the thread
  // that took the anchor was interrupted in each of its attempts.
  nanoseconds_t not_before_now() noexcept { return read(latest_); }

 private:
  // The reading of steady_clock, `ns`, was taken between the two of the counter.
  struct sample {
    std::uint64_t before;
    nanoseconds_t ns;
    std::uint64_t after;
    std::uint64_t width() const noexcept { return after - before; }
  };
  // Of 32.32 fixed-point nanoseconds a tick.
  struct rates {
    std::uint64_t least, likely, most;
  };
  // A time that rises with the counter, from the anchor on.
  struct line {
    base::atomic<nanoseconds_t> begin{0};
    base::atomic<std::uint64_t> ns_per_tick{0};
  };

  tsc_clock() noexcept;
  nanoseconds_t read(const line& wanted) noexcept;
  nanoseconds_t look(std::uint64_t elapsed) noexcept;
  sample take_sample() const noexcept;
  void take_up(const sample& latest) noexcept;
  void publish() noexcept;
  bool agree(const sample& earlier, const sample& later) const noexcept;
  static rates measure(const sample& earlier, const sample& later) noexcept;

  // A seqlock on the four below it: odd while a thread publishes a sample.
  alignas(64) base::atomic<std::uint64_t> sequence_{0};
  base::atomic<std::uint64_t> anchored_at_{0};  // the counter's reading at which both lines begin
  base::atomic<std::uint64_t> valid_ticks_{0};  // how far beyond it they may be used; 0: not at all
  line likely_, latest_;

  std::uint64_t anchor_ticks_ = 0;              // how long an anchor is used; constant once the clock is shared
  base::atomic<std::uint64_t> usual_width_{0};  // of a sample: that of the last one
  // For the thread that has made the sequence odd.
  sample anchor_, span_;  // the last one accepted; the one at the beginning of the span
  rates rates_{};         // of the last span
  bool trusted_ = true;
};

}  // namespace detent::detail
