// SPDX-License-Identifier: MIT
// The engine's clock: steady, TSC or manual, chosen once.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/manual_clock.hpp>
#include <detent/time.hpp>

#include "platform/tsc_clock.hpp"

#include <algorithm>
#include <cstdint>

namespace detent::detail {

class clock_reader {
 public:
  // `manual` takes precedence over `tsc`. If both are null, it reads steady_clock.
  clock_reader(const manual_clock* manual, tsc_clock* tsc) noexcept
      : manual_(manual), tsc_(manual != nullptr ? nullptr : tsc) {}

  // The cheapest reading. A reading of the TSC may be too early or too late.
  nanoseconds_t now() const noexcept { return tsc_ != nullptr ? tsc_->now() : certain(); }
  // Never earlier than the true time, or than the last value that this thread got from it. Delays count from this.
  nanoseconds_t not_before_now() const noexcept {
    return tsc_ != nullptr ? last_begin = std::max(last_begin, tsc_->not_before_now()) : certain();
  }
  // The true time, for the last reading before a callback starts.
  nanoseconds_t certain() const noexcept { return to_ns(manual_ != nullptr ? manual_->now() : clock::now()); }
  // Never later than the true time, and never before `earlier`, which is a time like this or a certain one. For
  // readings between two callbacks.
  nanoseconds_t after(nanoseconds_t earlier) const noexcept {
    return tsc_ != nullptr ? std::max(tsc_->not_after_now(), earlier) : certain();
  }
  // Returns what certain() returns, given a reading of now() that was just taken.
  nanoseconds_t confirm(nanoseconds_t reading) const noexcept { return tsc_ != nullptr ? certain() : reading; }
  bool is_manual() const noexcept { return manual_ != nullptr; }

 private:
  // The TSC's latest time steps back when an anchor is taken, but equal delays must end in the order in which they
  // began.
  DETENT_INITIAL_EXEC static inline constinit thread_local nanoseconds_t last_begin = INT64_MIN;

  const manual_clock* manual_;
  tsc_clock* tsc_;
};

}  // namespace detent::detail
