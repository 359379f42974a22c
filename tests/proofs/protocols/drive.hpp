// SPDX-License-Identifier: MIT
// The engine's use of doorbell and queue, as producers and as the driver, whose loops are the engine's own. Time stands
// still at `now` unless the scenario lets it pass, so a driver that sleeps
// although something earlier was submitted sleeps for ever, and is found as a deadlock.
#pragma once

#include "driver/drive_loop.hpp"
#include "driver/intake.hpp"
#include "submission.hpp"
#include "submission/submit.hpp"
#include "threads/lifecycle.hpp"

#include "submission/doorbell.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace model {

using detent::detail::doorbell;
using detent::detail::lifecycle;
using detent::detail::nanoseconds_t;
using detent::detail::rescan_request;

struct signalled_front {
  doorbell bell;
  rescan_request rescan;
  detent::base::atomic<std::uint32_t> signalled{0};  // the wake_fd

  void ring() { after_ring(bell.ring()); }
  void after_ring(doorbell::ring_result result) {
    if (result != doorbell::ring_result::needs_signal) return;
    signalled.store(1, detent::base::release);
    detent::base::futex_wake(signalled, 1);
  }
};

template <std::uint32_t Producers, std::uint32_t Entries = 2>
struct front : signalled_front {
  submission_stand_in<Producers, Entries> queue;
  submission_stand_in<Producers, Entries> critical;  // of the higher lanes

  // `fits`: there is memory for the entry.
  void submit(std::uint32_t producer, std::uint64_t entry, nanoseconds_t deadline, bool fits = true) {
    if (fits) queue.push(producer, entry);
    if (detent::detail::has_to_ring(bell, rescan, deadline, fits, [] { return false; }))
      after_ring(bell.ring_for_earlier(deadline));
  }
  void submit_critical(std::uint32_t producer, std::uint64_t entry, nanoseconds_t deadline) {
    critical.push(producer, entry);
    if (detent::detail::has_to_ring(bell, rescan, deadline, true, [] { return false; }))
      after_ring(bell.ring_for_earlier(deadline));
  }
};

// The freedoms of a driver; by default it has none.
struct driver_manners {
  nanoseconds_t keeps_beyond = INT64_MAX;   // a wake time that is further away it would rather keep than raise
  nanoseconds_t leaves_beyond = INT64_MAX;  // what was rung for and is further away it looks at `looks_ahead` before
  nanoseconds_t looks_ahead = 0;
  std::size_t room = 3;             // of a batch
  const lifecycle* life = nullptr;  // that may end meanwhile
  bool interrupts = false;          // after each entry of the bulk it drains the queue of the higher lanes
  bool hurried = false;             // when it has been called, it files one entry only before it goes on
};

// What the engine's intake asks. `wheel`: void take(entry); nanoseconds_t next(), the earliest deadline it knows; void
// rescan(), a scan of every node; bool is_asked(), whether a group asks for something; perhaps bool is_done(), which
// ends the drive in place of a deadline.
template <class Front, class Wheel>
class drain_port {
 public:
  static constexpr std::size_t room = 3, slice = 1, fetch_node_ahead = 0, fetch_links_ahead = 0;
  std::size_t most_before_firing() const { return manners_.hurried ? 1 : 64; }

  drain_port(Front& shared, Wheel& wheel, nanoseconds_t began, const driver_manners& manners)
      : shared_(shared), wheel_(wheel), began_(began), manners_(manners) {}

  detent::detail::taken_entries take(std::uint64_t* out) {
    detent::detail::taken_entries taken;
    shared_.queue.take(manners_.room, [&](std::uint64_t entry) { out[taken.end++] = entry; });
    taken.all = taken.end < manners_.room;
    return taken;
  }
  void accept(std::uint64_t entry) {
    wheel_.take(entry);
    if (manners_.interrupts) drain_critical();  // an interlude
  }
  detent::detail::drained drain_critical() {
    detent::detail::drained done{.complete = true};
    if constexpr (requires { shared_.critical; }) {
      shared_.critical.take_all([&](std::uint64_t entry) {
        wheel_.take(entry);
        done.filed = true;
      });
    }
    return done;
  }
  void prefetch_node(std::uint64_t) const {}
  void prefetch_links(std::uint64_t) const {}
  bool take_rescan() { return shared_.rescan.take(); }
  void rescan() { wheel_.rescan(); }

  nanoseconds_t now() const { return std::max(began_, time_passed_to()); }
  nanoseconds_t known(nanoseconds_t) const { return INT64_MAX; }
  nanoseconds_t next() const { return wheel_.next(); }
  bool is_due(nanoseconds_t) const { return false; }
  bool is_asked() const { return wheel_.is_asked(); }
  bool is_called() const { return is_asked() || (manners_.life != nullptr && !manners_.life->is_open()); }
  nanoseconds_t ahead_of(nanoseconds_t rung) const {
    return rung - now() > manners_.leaves_beyond ? manners_.looks_ahead : 0;
  }
  bool keeps(nanoseconds_t time) const { return time - now() > manners_.keeps_beyond; }
  void raises() {
    if constexpr (requires { shared_.queue.forget_idle(); }) shared_.queue.forget_idle();
  }
  void looked(nanoseconds_t) const {}
  void emptied() const {}

 private:
  Front& shared_;
  Wheel& wheel_;
  const nanoseconds_t began_;
  const driver_manners manners_;
};

// The engine's loops on a wheel of the scenario's.
template <class Front, class Wheel>
class driver {
 public:
  driver(Front& shared, Wheel& wheel, nanoseconds_t now, const driver_manners& manners = {})
      : shared_(shared), wheel_(wheel), port_(shared, wheel, now, manners), intake_(port_, shared.bell) {}

  // Turns until the wheel knows a deadline that is not after `wanted`.
  void drive_until(nanoseconds_t wanted) {
    wanted_ = wanted;
    detent::detail::drive_until_over(*this);
  }
  nanoseconds_t announce_until(nanoseconds_t until) { return intake_.announce(until); }
  // As the waiter: woken for no reason it sleeps on.
  void wait(nanoseconds_t until) {
    while (shared_.bell.sleep(until) && !shared_.bell.has_rung() && now() < until) {
    }
  }
  nanoseconds_t now() const { return port_.now(); }
  void answer() { intake_.answer_bell(); }
  bool drain(nanoseconds_t until) { return intake_.drain_completely(until); }

  // --- What drive_until_over() asks

  bool is_over() const {
    if constexpr (requires { wheel_.is_done(); }) {
      return wheel_.is_done();
    } else {
      return wheel_.next() <= wanted_;
    }
  }
  void answer_bell() { answer(); }
  bool has_to_drain() const { return intake_.is_drain_pending() || now() >= shared_.bell.wake_time(); }
  void drain_before_firing() { intake_.drain_before_firing(); }
  void sweep() {
    if (wheel_.is_asked()) wheel_.sweep([this] { intake_.request_drain(); });
  }
  void fire(nanoseconds_t) {}
  void fire_due() {}
  std::optional<nanoseconds_t> wait() {
    if (wheel_.is_asked()) return std::nullopt;
    const nanoseconds_t until = announce_until(wheel_.next());
    require(until <= wheel_.next(), "would sleep longer than until what it knows");
    if (!is_over() && until != INT64_MIN) wait(until);
    return std::nullopt;
  }

 private:
  Front& shared_;
  Wheel& wheel_;
  drain_port<Front, Wheel> port_;
  detent::detail::intake<drain_port<Front, Wheel>> intake_;
  nanoseconds_t wanted_ = INT64_MIN;
};

// For a wheel whose timers belong to no group.
struct no_groups {
  bool is_asked() const { return false; }
  template <class Begins>
  void sweep(Begins&&) {}
};

}  // namespace model
