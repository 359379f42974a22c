// SPDX-License-Identifier: MIT
// The engine's clock: steady, TSC or manual, chosen once.
#pragma once

#include <detent/manual_clock.hpp>
#include <detent/time.hpp>

#include "platform/tsc_clock.hpp"

namespace detent::detail {

class clock_reader {
 public:
  // `manual` wins over `tsc`; both null: steady_clock.
  clock_reader(const manual_clock* manual, tsc_clock* tsc) noexcept
      : manual_(manual), tsc_(manual != nullptr ? nullptr : tsc) {}

  // The cheapest reading; a TSC's may be off, either way.
  nanoseconds_t now() const noexcept { return tsc_ != nullptr ? tsc_->now() : certain(); }
  // Never earlier than the true time: what a delay counts from.
  nanoseconds_t not_before_now() const noexcept { return tsc_ != nullptr ? tsc_->not_before_now() : certain(); }
  // The true time: the last reading before a callback starts.
  nanoseconds_t certain() const noexcept { return to_ns(manual_ != nullptr ? manual_->now() : clock::now()); }
  // The same, given a reading of now() just taken.
  nanoseconds_t confirm(nanoseconds_t reading) const noexcept { return tsc_ != nullptr ? certain() : reading; }
  bool is_manual() const noexcept { return manual_ != nullptr; }

 private:
  const manual_clock* manual_;
  tsc_clock* tsc_;
};

}  // namespace detent::detail
