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
  // `manual` wins over `tsc`; both null: steady_clock.
  clock_reader(const manual_clock* manual, tsc_clock* tsc) noexcept
      : manual_(manual), tsc_(manual != nullptr ? nullptr : tsc) {}

  // The cheapest reading; a TSC's may be off, either way.
  nanoseconds_t now() const noexcept { return tsc_ != nullptr ? tsc_->now() : certain(); }
  // Never earlier than the true time, nor than what it returned to this thread before: what a delay counts from.
  nanoseconds_t not_before_now() const noexcept {
    return tsc_ != nullptr ? last_begin = std::max(last_begin, tsc_->not_before_now()) : certain();
  }
  // The true time: the last reading before a callback starts.
  nanoseconds_t certain() const noexcept { return to_ns(manual_ != nullptr ? manual_->now() : clock::now()); }
  // Never later than the true time, nor before `earlier`, a time like this or a certain one: between two callbacks.
  nanoseconds_t after(nanoseconds_t earlier) const noexcept {
    return tsc_ != nullptr ? std::max(tsc_->not_after_now(), earlier) : certain();
  }
  // The same as certain(), given a reading of now() just taken.
  nanoseconds_t confirm(nanoseconds_t reading) const noexcept { return tsc_ != nullptr ? certain() : reading; }
  bool is_manual() const noexcept { return manual_ != nullptr; }

 private:
  // The TSC's latest time steps back where an anchor is taken; equal delays are to end in the order in which they
  // began.
  DETENT_INITIAL_EXEC static inline constinit thread_local nanoseconds_t last_begin = INT64_MIN;

  const manual_clock* manual_;
  tsc_clock* tsc_;
};

}  // namespace detent::detail
