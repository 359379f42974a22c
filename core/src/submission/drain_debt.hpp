// SPDX-License-Identifier: MIT
#pragma once

#include "submission/doorbell.hpp"

#include "submission/submit.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace detent::detail {

// Whether the driver owes a complete drain, and what it tells before it waits. The driver's own.
class drain_debt {
 public:
  // Something was told or rung that asks for a drain which begins after this and leaves nothing.
  void owe() noexcept {
    owed_ = true;
    taken_short_ = false;
  }
  bool is_owed() const noexcept { return owed_; }

  // A batch came out of the queue; `all`: the queue held no more.
  void note_batch(bool all) noexcept { taken_short_ = all; }
  // Whether that was all there was, and nothing was owed since.
  bool is_covered() const noexcept { return taken_short_; }
  // The drain is complete. `rescan`: one was asked for. True: the caller scans every node, too, and files what it
  // finds.
  [[nodiscard]] bool pay(bool rescan) noexcept {
    owed_ = false;
    if (rescan) note_filing();
    return rescan;
  }
  // The drain filed something.
  void note_filing() noexcept { look_for_earlier_ = true; }

  // Takes note of the rings so far. leave(time): how long before the time that was rung for the driver looks; 0: now.
  template <class Leave>
  void answer(doorbell& bell, Leave&& leave) noexcept {
    const std::optional<nanoseconds_t> rung = bell.answer();
    if (!rung) return;
    const nanoseconds_t ahead = leave(*rung);
    rung_for_ = std::min(rung_for_, *rung - ahead);
    if (ahead == 0) owe();
  }

  // Tells the producers until when nobody looks, and takes up what that asks for. Returns when the wait ends at the
  // latest; INT64_MIN: now, as there is more to do. Of `driver`:
  //   bool keeps(time)                  would rather look at that time in vain than tell of a later one
  //   void count_raise()                a later one was told
  //   void answer()                     answer(), above
  //   bool drain(until)                 a complete one, which pays; false: interrupted
  //   bool is_called()                  there is something else to do; whoever set that has rung
  //   nanoseconds_t next()              the earliest deadline it knows
  template <class Driver>
  nanoseconds_t announce(doorbell& bell, nanoseconds_t until, Driver&& driver) noexcept;

 private:
  bool owed_ = false;
  bool taken_short_ = false;
  bool look_for_earlier_ = false;     // something was filed since this was cleared
  nanoseconds_t rung_for_ = forever;  // the earliest deadline since this was looked at
};

template <class Driver>
nanoseconds_t drain_debt::announce(doorbell& bell, nanoseconds_t until, Driver&& driver) noexcept {
  // The wake time stays low, and falls to what was rung for, although that may be cancelled by now: a look in vain at
  // that time costs less than a raise now, which asks for a complete drain, and than the rings of all that comes before
  // a later one.
  const nanoseconds_t told = bell.wake_time();
  const nanoseconds_t rung = std::exchange(rung_for_, forever);
  const nanoseconds_t low = std::min(told, rung);
  if (until > low && driver.keeps(low)) {
    until = low;
    bell.lower(until);
  } else if (until > told) {
    driver.count_raise();
    bell.raise(until);
    owe();
  } else {
    bell.lower(until);
  }
  if (rung != forever && until > low) owe();  // what was rung for has not been looked at
  driver.answer();
  look_for_earlier_ = false;
  if (owed_ && !driver.drain(until)) return INT64_MIN;
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
