// SPDX-License-Identifier: MIT
// From the submission queue to the wheel: when a drain is pending, and when it ends. The protocols of the doorbell and
// of drain_debt meet here, in a template, so that the explorer of interleavings compiles the same loops
// (tests/README.md).
#pragma once

#include <detent/base/compiler.hpp>

#include "limits.hpp"
#include "submission/drain_debt.hpp"
#include "wheel/interlude.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace detent::detail {

// The entries from `first` to `end` of what was taken out of the queue; `all`: the queue held no more.
struct taken_entries {
  std::size_t first = 0, end = 0;
  bool all = false;
};

// The result of draining a whole queue.
struct drained {
  bool filed = false;     // accepted some entries
  bool complete = false;  // left none of those that were submitted before
};

// Used by the driver alone. `Port` is a drain_port for an engine, and has:
//   room, slice, fetch_node_ahead, fetch_links_ahead, most_before_firing   sizes, in entries
//   taken_entries take(out)        the next entries, at most `room`, into out
//   void accept(entry)             accepts one
//   void prefetch_node(entry), prefetch_links(entry)
//   std::size_t submitted()        about how many are in the queue
//   drained drain_critical()       drains the queue of critical timers, at least until one of them is due
//   bool is_rescan_due(), take_rescan(); void rescan()
//   nanoseconds_t now(); known(now), the earliest deadline known; next(), the same, exactly
//   bool is_due(until)             something is, or `until` has come
//   bool is_asked()                there is something to do for groups; is_called(): or the engine stops
//   nanoseconds_t ahead_of(rung)   how long before the time that was rung for a scan is early enough; 0: now
//   bool keeps(time)               a spurious wake-up at that time costs less than announcing a later one
//   void raises()                  a later one is announced next, with a fence
//   void begins(), looked(now), emptied()   for counting
template <class Port>
class intake {
 public:
  intake(Port& port, doorbell& bell) noexcept : port_(port), bell_(bell) {}

  // Requests a drain that begins after this call and leaves nothing.
  void request_drain() noexcept { debt_.request_drain(); }
  bool is_drain_pending() const noexcept { return debt_.is_drain_pending(); }
  void answer_bell() noexcept {
    debt_.answer(bell_, [this](nanoseconds_t rung) { return port_.ahead_of(rung); });
  }

  // Drains a slice. Returns true if there is no more, nor was there when a drain was last requested.
  bool drain_slice() noexcept;
  // Drains all that was submitted before, and from a flood during that time not much more than as much again. A few
  // instructions if there is nothing.
  void drain_submitted() noexcept { drain_submitted(port_.submitted(), {}); }
  // Drains as many entries as `submitted`, and calls between() now and then.
  void drain_submitted(std::size_t submitted, const interlude& between) noexcept {
    if (submitted == 0 && next_ == end_ && !port_.is_rescan_due()) return;
    drain_much(submitted, between);
  }
  // Drains everything. Returns false if something came due, `until` came, or a group asks for a scan, while there was
  // more.
  bool drain_completely(nanoseconds_t until) noexcept;
  // Drains entries that may be due in order with timers that are due: a few thousand, unless something known before
  // comes due first.
  void drain_before_firing() noexcept;
  // Drains entries until no more than `may_stay` are left; stops early as drain_completely() does.
  void relieve(std::size_t may_stay, nanoseconds_t until) noexcept {
    while (port_.submitted() > may_stay && !drain_slice() && !port_.is_due(until)) {
    }
  }
  // Announces to the producers how long the driver sleeps. Returns the latest time at which the wait ends; INT64_MIN:
  // now.
  nanoseconds_t announce(nanoseconds_t until) noexcept { return debt_.announce(bell_, until, *this); }

  // Drains the queue of critical timers. Returns false if one of them is due, or more came than it has drained.
  bool drain_critical() noexcept {
    const drained done = port_.drain_critical();
    if (done.filed) debt_.note_filing();
    return done.complete;
  }

  // --- What drain_debt::announce() asks
  bool keeps(nanoseconds_t time) const noexcept { return port_.keeps(time); }
  void raises() noexcept { port_.raises(); }
  void answer() noexcept { answer_bell(); }
  bool drain(nanoseconds_t until) noexcept { return drain_completely(until); }
  bool is_called() const noexcept { return port_.is_called(); }
  nanoseconds_t next() { return port_.next(); }

 private:
  bool take_batch() noexcept;
  bool end_drain() noexcept;
  DETENT_NOINLINE void drain_much(std::size_t submitted, const interlude& between) noexcept;

  Port& port_;
  doorbell& bell_;
  drain_debt debt_;
  std::array<std::uint64_t, Port::room> batch_{};
  std::size_t next_ = 0, end_ = 0;  // of the batch: what is left
};

template <class Port>
bool intake<Port>::drain_slice() noexcept {
  if (next_ == end_ && !take_batch()) return end_drain();
  debt_.note_filing();
  const std::size_t end = std::min(next_ + Port::slice, end_);
  for (; next_ != end; ++next_) {
    if (next_ + Port::fetch_node_ahead < end_) port_.prefetch_node(batch_[next_ + Port::fetch_node_ahead]);
    if (next_ + Port::fetch_links_ahead < end_) port_.prefetch_links(batch_[next_ + Port::fetch_links_ahead]);
    port_.accept(batch_[next_]);
  }
  return next_ == end_ && debt_.is_covered() && end_drain();
}

template <class Port>
bool intake<Port>::take_batch() noexcept {
  const taken_entries taken = port_.take(batch_.data());
  debt_.note_batch(taken.all);
  if (taken.end == 0) return false;
  next_ = taken.first;
  end_ = taken.end;
  for (std::size_t i = next_; i < std::min(next_ + Port::fetch_node_ahead, end_); ++i) port_.prefetch_node(batch_[i]);
  for (std::size_t i = next_; i < std::min(next_ + Port::fetch_links_ahead, end_); ++i) port_.prefetch_links(batch_[i]);
  return true;
}

template <class Port>
bool intake<Port>::end_drain() noexcept {
  if (!drain_critical()) return false;  // a complete drain is one of both queues
  port_.emptied();
  if (debt_.complete_drain(port_.take_rescan())) port_.rescan();
  return true;
}

template <class Port>
void intake<Port>::drain_much(std::size_t submitted, const interlude& between) noexcept {
  port_.begins();
  debt_.request_drain();
  std::size_t slices = 2 * submitted / Port::slice + limits::spare_slices;
  for (std::size_t drained = Port::slice; slices != 0 && !drain_slice(); --slices, drained += Port::slice) {
    if (drained % limits::stretch < Port::slice) between();
  }
}

template <class Port>
bool intake<Port>::drain_completely(nanoseconds_t until) noexcept {
  while (!drain_slice()) {
    if (port_.is_due(until) || port_.is_asked()) return false;
  }
  return true;
}

template <class Port>
void intake<Port>::drain_before_firing() noexcept {
  const nanoseconds_t now = port_.now(), known = port_.known(now);
  const bool late = now >= known;
  port_.looked(now);
  for (std::size_t slices = port_.most_before_firing() / Port::slice; slices != 0 && !drain_slice(); --slices) {
    if (!late && port_.now() >= known) return;
  }
}

}  // namespace detent::detail
