// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <cstdint>

namespace detent::detail {

// The processor's time-stamp counter, in the nanoseconds of steady_clock. One for the process. It is fitted to
// steady_clock over a span that grows from milliseconds on, and never read further ahead than that span or a second, so
// that an error of the fit stays within the error of a reading. A counter that is behind the last fit by more than
// cores differ, as one that a suspend or a move to another host has set back, is fitted anew by whoever reads it next.
class tsc_clock {
 public:
  // Null where the TSC is not invariant. The first call takes some milliseconds.
  static tsc_clock* shared() noexcept;

  nanoseconds_t now() noexcept;
  // How far now() may be off, in nanoseconds; from the residuals seen.
  nanoseconds_t error_bound() const noexcept {
    return error_bound_.load(base::relaxed);
  }  // relaxed: a figure of its own

 private:
  struct sample {
    std::uint64_t ticks;
    nanoseconds_t ns;
  };
  tsc_clock() noexcept;
  static sample take_sample() noexcept;
  void fit(const sample& latest) noexcept;
  nanoseconds_t refit() noexcept;
  void correct(const sample& latest) noexcept;

  sample first_;  // of the whole span
  // A sequence lock: odd while somebody refits.
  base::atomic<std::uint32_t> sequence_{0};
  base::atomic<std::uint64_t> base_ticks_{0};
  base::atomic<nanoseconds_t> base_ns_{0};
  base::atomic<std::uint64_t> ns_per_tick_{0};  // 32.32 fixed point
  base::atomic<std::uint64_t> valid_ticks_{0};  // how far beyond the base the fit may be used
  base::atomic<nanoseconds_t> error_bound_{0};
};

}  // namespace detent::detail
