// SPDX-License-Identifier: MIT
#include "driver/critical_pass.hpp"

#include "driver/trigger_steps.hpp"
#include "limits.hpp"

#include <algorithm>

namespace detent::detail {

bool critical_pass::collect(nanoseconds_t now) noexcept {
  entries_.drain();
  return expire(now);
}

bool critical_pass::expire(nanoseconds_t now) noexcept {
  if (now < agenda_.next_bound()) return false;
  drive_.higher_now = std::max(drive_.higher_now, core_.time.confirm(now));
  agenda_.expire(drive_.higher_now);
  return agenda_.has_due();
}

bool critical_pass::fire_next(nanoseconds_t& now) {
  return trigger_.fire_next(agenda_, now, [this](const due_entry& due, node& restarted) { settle(due, restarted); });
}

// A timer has its turn that was restarted in its place. One that its thread had armed before may still wait in the
// queue, and be due before it or with it: that comes first. The timer passes for one in the due queue until then.
void critical_pass::settle(const due_entry& due, node& restarted) noexcept {
  const arming before = arming::of(restarted);
  if (agenda_.leaves(due.index, restarted, before)) return;
  pass_for_due(due, restarted);
  entries_.drain();
  if (!drive_.polling) expire(drive_.higher_now);  // in poll() each runs once a pass
  agenda_.settle(due, restarted, before);
}

// The loop ends, no matter what the callbacks do. A timer that they arm waits in the queue for the next interlude. Two
// kinds can have their turn without end: timers that restart one another, and members of a group that is not in order,
// which are due at once when they are inserted. Their turns fire nothing, and limits::interruptions bounds such turns.
void critical_pass::interrupt() noexcept {
  // Relaxed: a thread's first critical timer may wait for the end of the step.
  if (drive_.polling || !core_.critical_in_use.load(base::relaxed) || core_.stopped()) return;
  nanoseconds_t now = core_.time.certain();
  drive_.split.looked_again(now);
  collect(now);
  if (!agenda_.has_due()) return;
  core_.threads.set_driving(*drive_.record, nullptr);
  for (int vain = 0; agenda_.has_due() && vain != limits::interruptions && !core_.stopped(); expire(now)) {
    if (!fire_next(now)) ++vain;
  }
  drive_.higher_now = std::max(drive_.higher_now, now);
  if (!outbox_.empty()) outbox_.flush();
  core_.threads.set_driving(*drive_.record, &port_);
  if (drive_.record->pushed.size_approx() != 0) drive_.owes_entries = true;
}

}  // namespace detent::detail
