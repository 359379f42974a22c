// SPDX-License-Identifier: MIT
// Timers that come before others of a pass: critical ones in the middle of its long steps, and those that were
// submitted before a timer that fires.
#include "driver/expiry.hpp"

#include "limits.hpp"

#include <algorithm>

namespace detent::detail {

void expiry::overtake() noexcept {
  // Relaxed: a thread's first timer in a higher lane may wait for the end of the step.
  if (drive_.polling || !core_.lanes_in_use.load(base::relaxed) || core_.stopped()) return;
  const nanoseconds_t now = core_.time.certain();
  drive_.split.looked_again(now);
  // First what the callbacks of an earlier interlude have submitted.
  intake_.search_rest([this](std::span<std::uint64_t> rest) { return entries_.accept_critical(rest); });
  if (entries_.search_queue()) intake_.request_drain();
  if (entries_.has_set_aside()) drive_.higher_now = std::max(drive_.higher_now, now);  // for the end of the step
  // Also what the pass had collected before the step began.
  if (now < agenda_.critical_bound() && !agenda_.has_higher_due()) return;
  core_.threads.set_driving(*drive_.record, nullptr);
  take_critical(now);
  nanoseconds_t read = now;
  for (; agenda_.has_higher_due() && !core_.stopped(); take_critical(read)) fire_next(read);
  drive_.higher_now = std::max(drive_.higher_now, read);
  if (!outbox_.empty()) outbox_.flush();
  core_.threads.set_driving(*drive_.record, &port_);
  if (!entries_.has_own()) return;
  drive_.owes_entries = true;
  intake_.request_drain();
}

void expiry::stop_over(nanoseconds_t& now) noexcept {
  overtake();
  now = std::max(now, drive_.higher_now);
}

bool expiry::take_due_after_interlude(node_index index, node& filed) noexcept {
  overtake();
  agenda_.make_room(limits::takes_between, between_);
  return agenda_.take_out(index, filed, drive_.pass_now);
}

// overtake() has been on: what it set aside comes before the rest of the queue.
[[gnu::noinline, gnu::cold]] void expiry::catch_up(nanoseconds_t& now) noexcept {
  intake_.drain_before_firing();
  now = core_.time.certain();
  drive_.split.looked_again(now);
  if (agenda_.has_critical()) take_critical(now);  // some have come due while the interludes' callbacks ran
}

// All that was submitted so far, however much it is: what fires next was armed after it.
void expiry::accept_what_came_before() noexcept { intake_.drain_submitted(entries_.waiting(), between_); }

// The critical part of that, without an interlude: a critical timer is about to fire.
void expiry::accept_critical_before() noexcept {
  intake_.search_rest([this](std::span<std::uint64_t> rest) { return entries_.accept_critical(rest); });
  for (std::size_t left = entries_.submitted();; left -= limits::scanned_at_once) {
    if (entries_.search_queue(SIZE_MAX)) intake_.request_drain();
    if (left <= limits::scanned_at_once) return;
  }
}

// The entry has left the due queue. The timer passes for one that is still there until it is settled.
void expiry::settle(const due_entry& due, node& restarted) noexcept {
  restarted.location = in_due_queue;
  restarted.placed = due.placed;
  const std::uint64_t word = observe(restarted.pair);
  const nanoseconds_t deadline = deadline_of(restarted.pair);
  if (drive_.polling) {
    accept_what_came_before();
  } else if (core_.nodes.lane(due.index, word) != 0) {
    accept_critical_before();
    take_critical(drive_.higher_now);
  } else {
    accept_what_came_before();
    if (agenda_.next_bound() <= drive_.pass_now) {
      if (++settled_ > limits::interruptions)
        interruptions_ = settled_;  // the pass ends: restarts may come without end
      collect_more();
    }
  }
  if (!is_newest(due, restarted)) return;  // restarted once more, and accepted
  restarted.location = nowhere;
  if (agenda_.drop_if_cancelled(due.index, restarted)) return;
  // If it was restarted during the drain, timers that its thread armed before that may have come too late for the
  // drain.
  const std::uint64_t now = observe(restarted.pair);
  const bool is_same = now == word && deadline_of(restarted.pair) == deadline;
  agenda_.place_again(due.index, restarted, now, is_same ? agenda::entering::settled : agenda::entering::pass);
}

}  // namespace detent::detail
