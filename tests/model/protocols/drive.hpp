// SPDX-License-Identifier: MIT
// The engine's use of doorbell and queue, as producers and as the driver; what its sources do around the headers that
// are explored is repeated here. Time stands still at `now`, so a driver that sleeps although something earlier was
// submitted sleeps for ever, and is found as a deadlock.
#pragma once

#include "submission.hpp"

#include <detent/detail/doorbell.hpp>

#include <algorithm>
#include <cstdint>

namespace model {

using detent::detail::doorbell;
using detent::detail::nanoseconds_t;

template <std::uint32_t Producers>
struct front {
  doorbell bell;
  submission_stand_in<Producers, 2> queue;
  detent::base::atomic<std::uint32_t> signalled{0};  // the wake_fd

  void submit(std::uint32_t producer, std::uint64_t entry, nanoseconds_t deadline) {
    queue.push(producer, entry);
    bell.fence_push();
    if (!bell.earlier_than_wake(deadline)) return;
    after_ring(bell.ring_for_earlier(deadline));
  }
  void ring() { after_ring(bell.ring()); }
  void after_ring(doorbell::ring_result result) {
    if (result != doorbell::ring_result::needs_signal) return;
    signalled.store(1, detent::base::release);
    detent::base::futex_wake(signalled, 1);
  }
};

// `wheel`: void take(entry), and nanoseconds_t next(), the earliest deadline it knows.
template <std::uint32_t Producers, class Wheel>
class driver {
 public:
  driver(front<Producers>& shared, Wheel& wheel, nanoseconds_t now) : shared_(shared), wheel_(wheel), now_(now) {}

  // Turns until the wheel knows a deadline that is not after `wanted`.
  void drive_until(nanoseconds_t wanted) {
    for (;;) {
      answer_bell();
      if (unanswered_ || now_ >= shared_.bell.wake_time()) drain();
      if (wheel_.next() <= wanted) return;
      nanoseconds_t until = announce_until(wheel_.next());
      if (wheel_.next() <= wanted) return;
      wait(until);
    }
  }
  // Tells the producers until when nobody looks, and takes up what that asks for.
  nanoseconds_t announce_until(nanoseconds_t until) {
    if (until > shared_.bell.wake_time()) {
      shared_.bell.raise(until);
      unanswered_ = true;
    } else {
      shared_.bell.lower(until);
    }
    answer_bell();
    if (unanswered_) drain();
    if (wheel_.next() < until) shared_.bell.lower(wheel_.next());
    return std::min(until, wheel_.next());
  }
  void answer_bell() {
    if (shared_.bell.answer()) unanswered_ = true;
  }
  void drain() {
    shared_.queue.take_all([this](std::uint64_t entry) { wheel_.take(entry); });
    unanswered_ = false;
  }
  // As the waiter: woken for no reason it sleeps on.
  void wait(nanoseconds_t until) {
    while (shared_.bell.sleep(until) && !shared_.bell.has_rung()) {
    }
  }

 private:
  front<Producers>& shared_;
  Wheel& wheel_;
  nanoseconds_t now_;
  bool unanswered_ = false;  // a raise of the wake time or a ring asks for a complete drain
};

}  // namespace model
