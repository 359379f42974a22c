// SPDX-License-Identifier: MIT
// The driver's half of the doorbell's handshake: a complete drain after each raise of the wake time.
#pragma once

#include "submission/doorbell.hpp"

#include "submission/submit.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace detent::detail {

// Knows whether a complete drain is pending, and what the driver announces before it waits. Used by the driver alone.
class drain_debt {
 public:
  // An announcement or a ring needs a drain that begins after this and leaves nothing.
  void request_drain() noexcept {
    drain_pending_ = true;
    taken_short_ = false;
  }
  bool is_drain_pending() const noexcept { return drain_pending_; }

  // A batch came out of the queue; `all`: the queue held no more.
  void note_batch(bool all) noexcept { taken_short_ = all; }
  // Returns whether that was everything, and no drain was requested since.
  bool is_covered() const noexcept { return taken_short_; }
  // The drain is complete. `rescan` says that a rescan was requested. Returns true if the caller must also scan every
  // node and insert what it finds.
  [[nodiscard]] bool complete_drain(bool rescan) noexcept {
    drain_pending_ = false;
    if (rescan) note_filing();
    return rescan;
  }
  // The drain inserted something.
  void note_filing() noexcept { look_for_earlier_ = true; }

  // Takes note of the rings so far. leave(time) returns how long before the time that was rung for the driver drains;
  // 0: now.
  template <class Leave>
  void answer(doorbell& bell, Leave&& leave) noexcept {
    const std::optional<nanoseconds_t> rung = bell.answer();
    if (!rung) return;
    const nanoseconds_t ahead = leave(*rung);
    rung_for_ = std::min(rung_for_, *rung - ahead);
    if (ahead == 0) request_drain();
  }

  // Announces to the producers how long the driver sleeps, and drains what that requires. Returns the latest time at
  // which the wait ends; INT64_MIN: now, because there is more to do. `driver` has:
  //   bool keeps(time)                  prefers a spurious wake-up at that time to announcing a later one
  //   void raises()                     a later one is announced next, with a fence
  //   void answer()                     answer(), above
  //   bool drain(until)                 a complete one, which completes; false: interrupted
  //   bool is_called()                  there is something else to do; its setter has rung
  //   nanoseconds_t next()              the earliest deadline it knows
  template <class Driver>
  nanoseconds_t announce(doorbell& bell, nanoseconds_t until, Driver&& driver) noexcept;

 private:
  bool drain_pending_ = false;
  bool taken_short_ = false;
  bool look_for_earlier_ = false;     // something was inserted since this was cleared
  nanoseconds_t rung_for_ = forever;  // the earliest deadline since this was read
};

template <class Driver>
nanoseconds_t drain_debt::announce(doorbell& bell, nanoseconds_t until, Driver&& driver) noexcept {
  // The wake time stays low, and falls to the deadline that was rung for, although that may be cancelled by now. A
  // spurious wake-up at that time costs less than a raise now, which requires a complete drain, and less than the rings
  // of all entries that come before a later one.
  const nanoseconds_t announced = bell.wake_time();
  const nanoseconds_t rung = std::exchange(rung_for_, forever);
  const nanoseconds_t low = std::min(announced, rung);
  if (until > low && driver.keeps(low)) {
    until = low;
    bell.lower(until);
  } else if (until > announced) {
    driver.raises();
    bell.raise(until);
    request_drain();
  } else {
    bell.lower(until);
  }
  if (rung != forever && until > low) request_drain();  // what was rung for has not been processed
  driver.answer();
  look_for_earlier_ = false;
  if (drain_pending_ && !driver.drain(until)) return INT64_MIN;
  if (driver.is_called()) return INT64_MIN;  // the answer above may have been to that
  if (look_for_earlier_) {
    const nanoseconds_t earlier = driver.next();
    if (earlier < until) bell.lower(earlier);
    until = std::min(until, earlier);
  }
  if (rung_for_ < until) {  // the last answer left it for later
    until = rung_for_;
    bell.lower(until);
  }
  return until;
}

}  // namespace detent::detail
