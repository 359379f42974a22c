// SPDX-License-Identifier: MIT
#include "driver/expiry.hpp"

#include <detent/base/compiler.hpp>

#include "limits.hpp"

#include <algorithm>

namespace detent::detail {

namespace {

// Restores the state even if the thread that polls ends in a callback.
struct pass_end {
  drive_state& of;
  ~pass_end() { of.polling = of.keeps_order = false; }
};

}  // namespace

std::size_t expiry::fire_pass(nanoseconds_t now, std::size_t max_callbacks, bool polling) {
  drive_.pass_now = now;
  drive_.split.looked(now);
  drive_.pass = drive_.pass.next_pass();
  drive_.polling = polling;
  drive_.keeps_order = polling && !intake_.is_drain_pending();
  const pass_end end{drive_};
  if (drive_.owes_entries) [[unlikely]]
    accept_what_came_before();
  // Relaxed: what has yet to be seen of a thread's first critical timer comes with its ring.
  bool may_be_due = false;
  if (core_.critical_in_use.load(base::relaxed)) {
    critical_.collect(now);
    may_be_due = critical_.has_due();
  }
  agendas_.bulk.expire(now, between_);  // a million at once take a while, and critical timers do not wait for that
  if (drive_.higher_now > now) [[unlikely]] {  // interludes have taken a while, in which others have come due
    now = core_.time.certain();
    drive_.split.looked_again(now);
    if (!polling) critical_.collect(now);
    may_be_due = true;
  }
  if (outbox_.may_have_retries()) [[unlikely]] {
    outbox_.retry();
    if (polling) drain_in_poll();  // what their runs have armed on other threads
    may_be_due = true;
  }
  return may_be_due || agendas_.bulk.has_due() ? fire_due(now, max_callbacks) : 0;
}

// Fires the timers in the due queues, and those that are added to them in the process.
std::size_t expiry::fire_due(nanoseconds_t now, std::size_t max_callbacks) {
  std::size_t fired = 0;
  const nanoseconds_t began = now;
  interruptions_ = settled_ = 0;
  for (bool is_due = agendas_.has_due(); is_due || !outbox_.empty(); is_due = agendas_.has_due()) {
    if (fired >= max_callbacks || core_.stopped()) break;
    if (!is_due) {
      outbox_.flush();  // may run callbacks, which may arm something for this very pass
    } else if (fire_next(now)) {
      ++fired;
    }
    if (drive_.polling) {
      drain_in_poll();
    } else if (!look_between(now, fired) || now - began >= core_.options.wake_budget.count()) {
      break;
    }
  }
  if (!outbox_.empty()) outbox_.flush();
  return fired;
}

DETENT_ALWAYS_INLINE inline bool expiry::fire_next(nanoseconds_t& now) {
  if (critical_.has_due()) [[unlikely]]
    return critical_.fire_next(now);
  return trigger_.fire_next(agendas_.bulk, now,
                            [this](const due_entry& due, node& restarted) { settle(due, restarted); });
}

// Relaxed: what happens before the call of poll() is seen.
inline void expiry::drain_in_poll() noexcept {
  if (core_.critical_in_use.load(base::relaxed)) critical_.drain();
  intake_.drain_submitted();
}

// Called by a worker between two callbacks. Returns false if the pass must end so that others have their turn.
DETENT_ALWAYS_INLINE inline bool expiry::look_between(nanoseconds_t& now, std::size_t fired) {
  const bool has_rung = in_.bell().has_rung();
  if (has_rung) {
    intake_.answer_bell();
    intake_.drain_slice();
  }
  // Relaxed: as in critical_pass::interrupt(). No thread rings for what is due by the end of the pass.
  if (!core_.critical_in_use.load(base::relaxed)) return interruptions_ <= limits::interruptions;
  if (has_rung || fired % limits::takes_between == 0) {
    now = core_.time.certain();
    drive_.split.looked_again(now);
  }
  if (interruptions_ > limits::interruptions) return false;
  if (interruptions_ == limits::interruptions || critical_.collect(now)) ++interruptions_;
  return true;
}

// All that was submitted so far, however much it is: what fires next was armed after it.
void expiry::accept_what_came_before() noexcept { intake_.drain_submitted(entries_.submitted(), between_); }

// A timer has its turn that was restarted in its place. One that its thread had armed before may still wait in the
// queue, and be due before it or with it: that comes into the pass first. The timer passes for one in the due queue
// until then.
void expiry::settle(const due_entry& due, node& restarted) noexcept {
  const arming before = arming::of(restarted);
  if (agendas_.bulk.leaves(due.index, restarted, before)) return;
  pass_for_due(due, restarted);
  accept_what_came_before();
  if (!drive_.polling && agendas_.bulk.next_bound() <= drive_.pass_now) {
    if (++settled_ > limits::interruptions) interruptions_ = settled_;  // the pass ends: restarts may come without end
    agendas_.bulk.expire(drive_.pass_now, between_);
  }
  agendas_.bulk.settle(due, restarted, before);
}

void expiry::await(nanoseconds_t until) noexcept {
  if (!core_.runs_straight || drive_.owes_entries || outbox_.may_have_retries()) return;
  if (!critical_.has_due() && agendas_.critical.next_bound() == forever) agendas_.bulk.await(until);
}

bool expiry::fire_awaited(nanoseconds_t now) noexcept {
  awaited_timer& awaited = agendas_.bulk.awaited();
  if (awaited.timer == nullptr) return false;
  if (trigger_.fire_awaited(awaited, now)) [[likely]]
    return true;
  agendas_.bulk.give_up_awaited();
  return false;
}

}  // namespace detent::detail
