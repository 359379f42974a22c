// SPDX-License-Identifier: MIT
// A clock that reads the time-stamp counter; its parameters are published under a seqlock.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <cstdint>

namespace detent::detail {

// The processor's time-stamp counter in the nanoseconds of steady_clock. There is one for the process.
//
// An anchor is a reading of steady_clock between two readings of the counter. It is used for a tenth of a millisecond;
// then the next thread that reads the clock takes a new one. The rate of the counter is measured over a second or more;
// at the beginning it is measured twice over 5 ms, and until then all readings are steady_clock's. steady_clock may
// have been slewed by -500 ppm during the measurement and by +500 ppm since; not_before_now() allows for that.
//
// Trust is lost when two anchors differ by more than that: after a suspend, if steady_clock is slewed by more, or if
// the counters of cores differ. It is also lost when steady_clock has become slow to read, for example because the
// kernel has changed to another clocksource. Then all readings are steady_clock's, until the counter has run evenly for
// a second. Each loss is counted. A counter that loses trust again and again is given up.
class tsc_clock {
 public:
  // Returns null if the TSC is not invariant or there is no memory.
  static tsc_clock* shared() noexcept;
  // For the child of a fork, which may have caught a thread of its parent while it was storing an anchor. No thread may
  // have read the clock yet.
  static void begin_again_in_child() noexcept;

  // Returns the likely time. Two readings may be out of order by the error of their anchors.
  nanoseconds_t now() noexcept { return read(likely_); }
  // Not before any reading of steady_clock that was taken before the call. It is later by at most 0.3 us, unless the
  // thread that took the anchor was interrupted in each of its attempts.
  nanoseconds_t not_before_now() noexcept { return read(latest_); }
  // Not after any reading of steady_clock that is taken after the call, and earlier by no more than the above.
  nanoseconds_t not_after_now() noexcept { return read(earliest_); }

  // Returns how often trust was lost. relaxed: a counter.
  std::uint64_t distrusted() const noexcept { return distrusted_.load(base::relaxed); }
  // Returns whether the counter was given up. relaxed: for reports.
  bool is_given_up() const noexcept { return anchor_ticks_.load(base::relaxed) == UINT64_MAX; }

 private:
  // `ns` is the reading of steady_clock that was taken between the two readings of the counter.
  struct sample {
    std::uint64_t before;
    nanoseconds_t ns;
    std::uint64_t after;
    std::uint64_t width() const noexcept { return after - before; }
  };
  // In nanoseconds per tick, as 32.32 fixed-point numbers.
  struct rates {
    std::uint64_t least, likely, most;
  };
  // A time that rises with the counter, beginning at the anchor.
  struct line {
    base::atomic<nanoseconds_t> begin{0};
    base::atomic<std::uint64_t> ns_per_tick{0};
  };

  static base::atomic<tsc_clock*> made_;

  tsc_clock() noexcept;
  nanoseconds_t read(const line& wanted) noexcept;
  nanoseconds_t look(std::uint64_t elapsed) noexcept;
  sample take_sample() const noexcept;
  void begin() noexcept;
  void begin_again() noexcept;
  void take_up(const sample& latest) noexcept;
  void judge_span(const sample& latest) noexcept;
  void distrust() noexcept;
  void publish() noexcept;
  bool agree(const sample& earlier, const sample& later) const noexcept;
  static rates measure(const sample& earlier, const sample& later) noexcept;

  // A seqlock for the five fields below. It is odd while a thread stores a sample.
  alignas(64) base::atomic<std::uint64_t> sequence_{0};
  base::atomic<std::uint64_t> anchored_at_{0};  // the counter's reading at the anchor
  base::atomic<std::uint64_t> valid_ticks_{0};  // how far beyond the anchor it may be used; 0 if not at all
  line likely_, latest_, earliest_;

  base::atomic<std::uint64_t> anchor_ticks_{0};  // how long an anchor is used; UINT64_MAX if the counter was given up
  base::atomic<std::uint64_t> usual_width_{0};   // the width of the last sample
  base::atomic<std::uint64_t> distrusted_{0};
  // Used by the thread that has made the sequence odd:
  sample anchor_{}, span_{};      // the last one stored; the one at the beginning of the span
  rates rates_{};                 // of the last span
  nanoseconds_t span_lasts_ = 0;  // minimum length
  std::uint64_t widest_ = 0;      // of samples while steady_clock is read in user space
  int wide_in_a_row_ = 0;
  int doubt_ = 0;  // rises when trust is lost, falls with each span that agrees
  bool trusted_ = false;
};

}  // namespace detent::detail
