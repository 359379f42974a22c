// SPDX-License-Identifier: MIT
// The engine's use of doorbell and queue, as producers and as the driver; the loops around the headers that are
// explored are repeated here. Time stands still at `now` unless the scenario lets it pass, so a driver that sleeps
// although something earlier was submitted sleeps for ever, and is found as a deadlock.
#pragma once

#include "submission.hpp"
#include "submission/drain_debt.hpp"
#include "submission/submit.hpp"
#include "threads/lifecycle.hpp"

#include "submission/doorbell.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace model {

using detent::detail::doorbell;
using detent::detail::drain_debt;
using detent::detail::lifecycle;
using detent::detail::nanoseconds_t;
using detent::detail::rescan_request;

template <std::uint32_t Producers, std::uint32_t Entries = 2>
struct front {
  doorbell bell;
  rescan_request rescan;
  submission_stand_in<Producers, Entries> queue;
  detent::base::atomic<std::uint32_t> signalled{0};  // the wake_fd

  // `fits`: there is memory for the entry.
  void submit(std::uint32_t producer, std::uint64_t entry, nanoseconds_t deadline, bool fits = true) {
    if (fits) queue.push(producer, entry);
    if (detent::detail::has_to_ring(bell, rescan, deadline, fits)) after_ring(bell.ring_for_earlier(deadline));
  }
  void ring() { after_ring(bell.ring()); }
  void after_ring(doorbell::ring_result result) {
    if (result != doorbell::ring_result::needs_signal) return;
    signalled.store(1, detent::base::release);
    detent::base::futex_wake(signalled, 1);
  }
};

// What a driver may do or leave; nothing of it, if nothing else is said.
struct driver_manners {
  nanoseconds_t keeps_beyond = INT64_MAX;   // a wake time that is further away it would rather keep than raise
  nanoseconds_t leaves_beyond = INT64_MAX;  // what was rung for and is further away it looks at `looks_ahead` before
  nanoseconds_t looks_ahead = 0;
  std::size_t room = 3;             // of a batch
  const lifecycle* life = nullptr;  // that may end meanwhile
  bool hurried = false;             // when it has been called, it files one entry only before it goes on
};

// `wheel`: void take(entry); nanoseconds_t next(), the earliest deadline it knows; void rescan(), a look at every node.
template <class Front, class Wheel>
class driver {
 public:
  driver(Front& shared, Wheel& wheel, nanoseconds_t now, driver_manners manners = {})
      : shared_(shared), wheel_(wheel), began_(now), manners_(manners) {}

  // Turns until the wheel knows a deadline that is not after `wanted`.
  void drive_until(nanoseconds_t wanted) {
    for (;;) {
      answer();
      if (debt_.is_owed() || now() >= shared_.bell.wake_time()) drain_before_firing();
      if (wheel_.next() <= wanted) return;
      const nanoseconds_t until = announce_until(wheel_.next());
      require(until <= wheel_.next(), "would sleep longer than until what it knows");
      if (wheel_.next() <= wanted) return;
      if (until != INT64_MIN) wait(until);
    }
  }
  nanoseconds_t announce_until(nanoseconds_t until) { return debt_.announce(shared_.bell, until, *this); }
  // As the waiter: woken for no reason it sleeps on.
  void wait(nanoseconds_t until) {
    while (shared_.bell.sleep(until) && !shared_.bell.has_rung() && now() < until) {
    }
  }
  nanoseconds_t now() const { return std::max(began_, time_passed_to()); }

  // --- What announce() asks

  bool keeps(nanoseconds_t time) const { return time - now() > manners_.keeps_beyond; }
  void count_raise() {}
  void answer() {
    debt_.answer(shared_.bell, [this](nanoseconds_t rung) {
      return rung - now() > manners_.leaves_beyond ? manners_.looks_ahead : 0;
    });
  }
  bool drain(nanoseconds_t) {
    while (!drain_slice()) {
    }
    return true;
  }
  bool is_called() const { return manners_.life != nullptr && !manners_.life->is_open(); }
  nanoseconds_t next() const { return wheel_.next(); }

 private:
  // It comes without anything being owed, too.
  void drain_before_firing() {
    while (!drain_slice() && !manners_.hurried) {
    }
  }
  // As engine_core::drain_slice(): one entry is a slice.
  bool drain_slice() {
    if (batch_next_ == batch_end_ && !take_batch()) return end_drain();
    debt_.note_filing();
    wheel_.take(batch_[batch_next_++]);
    return batch_next_ == batch_end_ && debt_.is_covered() && end_drain();
  }
  bool take_batch() {
    batch_next_ = batch_end_ = 0;
    shared_.queue.take(manners_.room, [this](std::uint64_t entry) { batch_[batch_end_++] = entry; });
    debt_.note_batch(batch_end_, manners_.room);
    return batch_end_ != 0;
  }
  bool end_drain() {
    if (debt_.pay(shared_.rescan)) wheel_.rescan();
    return true;
  }

  Front& shared_;
  Wheel& wheel_;
  const nanoseconds_t began_;
  const driver_manners manners_;
  drain_debt debt_;
  std::array<std::uint64_t, 3> batch_{};
  std::size_t batch_next_ = 0, batch_end_ = 0;
};

}  // namespace model
