// SPDX-License-Identifier: MIT
#include "driver/critical_pass.hpp"

#include "limits.hpp"
#include "platform/probe.hpp"

#include <algorithm>
#include <array>

namespace detent::detail {

void note_drain(engine_core& core, drive_state& drive, std::size_t count) noexcept {
  drive.split.drain_begins();
  DETENT_PROBE(drain, &core, count);
  drive.record->counts.add(counter::drains);
  drive.record->counts.add(counter::drained, count);
}

drained critical_pass::drain_much(std::size_t submitted, bool until_due) noexcept {
  std::array<std::uint64_t, limits::critical_batch> taken;
  const std::size_t most = 2 * submitted + limits::spare_slices * taken.size();
  for (std::size_t accepted = 0; accepted <= most;) {
    const std::size_t count = in_.critical().take(taken.data(), taken.size());
    if (count != 0) note_drain(core_, drive_, count);
    for (std::size_t at = 0; at != count; ++at) {
      if (at + limits::fetch_node_ahead < count)
        base::prefetch_to_write(&core_.node_at(submission::index(taken[at + limits::fetch_node_ahead])));
      accept(taken[at]);
    }
    accepted += count;
    if (count < taken.size()) return {accepted != 0, true};
    if (until_due && core_.time.now() >= agendas_.next_bound()) break;
  }
  return {true, false};
}

// A raise of the wake time forgets them as well, but a poll() has none.
void critical_pass::forget() noexcept {
  if (in_.critical().is_forgetting_due(in_.bell().asymmetric())) in_.critical().forget_idle(in_.bell());
}

void critical_pass::accept(std::uint64_t entry) noexcept {
  const node_index index = submission::index(entry);
  node& named = core_.node_at(index);
  if (submission::what(entry) == submission::kind::arm)
    return agendas_.of(index).accept(index, named, submission::generation(entry));
  if (submission::is_reap_of(entry, observe(named.pair))) agendas_.of(index).reap(index, named);
}

bool critical_pass::collect(nanoseconds_t now) noexcept {
  // The threads' queues have their turns. A flood from several threads may end the drain before all entries of the
  // driving thread are through.
  if (!drain().complete) [[unlikely]]
    drive_.keeps_order = false;
  return expire(now);
}

bool critical_pass::expire(nanoseconds_t now) noexcept {
  if (now < agendas_.next_bound()) return false;
  drive_.higher_now = std::max(drive_.higher_now, core_.time.confirm(now));
  agendas_.each([this](agenda& one) { one.expire(drive_.higher_now, {}); });
  return agendas_.has_due();
}

bool critical_pass::fire_next(nanoseconds_t& now) {
  return trigger_.fire_next(agendas_.first(), now,
                            [this](const due_entry& due, node& restarted) { settle(due, restarted); });
}

// A timer has its turn that was restarted in its place. One that its thread had armed before may still wait in the
// queue, and be due before it or with it: that comes first. The timer passes for one in the due queue until then.
void critical_pass::settle(const due_entry& due, node& restarted) noexcept {
  const arming before = arming::of(restarted);
  if (agendas_.of(due.index).leaves(due.index, restarted, before)) return;
  pass_for_due(due, restarted);
  drain();
  if (!drive_.polling) expire(drive_.higher_now);  // in poll() each runs once a pass
  agendas_.of(due.index).settle(due, restarted, before);
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
  if (!agendas_.has_due()) return;
  core_.threads.set_driving(*drive_.record, nullptr);
  for (int vain = 0; agendas_.has_due() && vain != limits::interruptions && !core_.stopped(); expire(now)) {
    if (!fire_next(now)) ++vain;
  }
  drive_.higher_now = std::max(drive_.higher_now, now);
  if (!outbox_.empty()) outbox_.flush();
  core_.threads.set_driving(*drive_.record, &port_);
  if (drive_.record->pushed.size_approx() != 0) drive_.owes_entries = true;
}

}  // namespace detent::detail
