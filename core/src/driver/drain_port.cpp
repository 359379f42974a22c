// SPDX-License-Identifier: MIT
#include "driver/drain_port.hpp"

#include "limits.hpp"

#include <algorithm>
#include <thread>

namespace detent::detail {

drain_port::drain_port(engine_core& core, drive_state& drive, agendas& known, outbox& offers, critical_pass& critical)
    : core_(core),
      in_(core.in),
      drive_(drive),
      agendas_(known),
      offers_(offers),
      critical_(critical),
      between_(core.options.drive == drive_kind::worker ? critical.between_steps() : interlude{}),
      fences_(std::thread::hardware_concurrency()) {}

taken_entries drain_port::take(std::uint64_t* out) noexcept {
  taken_entries taken;
  taken.end = in_.queue().take(out, room);
  taken.all = taken.end < room;
  if (taken.end == 0) return taken;
  note_drain(core_, drive_, taken.end);
  fences_.count_pushes(taken.end);
  taken.first = stale_.keep_fresh(out, taken.end);
  return taken;
}

// Without raises of the wake time, as in a poll, idle producers are forgotten here.
std::size_t drain_port::count_submitted() noexcept {
  submission_queue& queue = in_.queue();
  if (queue.is_forgetting_due(in_.bell().asymmetric())) [[unlikely]]
    queue.forget_idle(in_.bell());
  return queue.size();
}

// A slot may begin long before what it holds is due.
nanoseconds_t drain_port::known(nanoseconds_t now) noexcept {
  const nanoseconds_t bound = agendas_.next_bound();
  return now < bound ? bound : agendas_.next_in_wheel().value_or(forever);
}

// A drain now would insert the many that are cancelled before that time: it is early enough to drain then.
nanoseconds_t drain_port::ahead_of(nanoseconds_t rung) noexcept {
  const bool far =
      core_.options.drive == drive_kind::worker && subtract_saturated(rung, now()) > 2 * limits::look_ahead;
  return far && submitted() > limits::worth_leaving ? limits::look_ahead : 0;
}

bool drain_port::keeps(nanoseconds_t time) const noexcept {
  return core_.options.drive == drive_kind::worker && subtract_saturated(time, now()) > limits::worth_a_vain_wake;
}

nanoseconds_t drain_port::retry_bound(nanoseconds_t until) noexcept {
  return offers_.has_retries() ? std::min(until, add_saturated(now(), limits::retry_after)) : until;
}

// A timer that is late now was submitted late.
void drain_port::begins() noexcept {
  if (!drive_.polling) drive_.split.looked_again(now());
}

void drain_port::choose_fence() noexcept {
  doorbell& bell = in_.bell();
  const bool asymmetric = fences_.prefers_asymmetric(bell.asymmetric());
  if (asymmetric == bell.asymmetric()) return;
  if (!asymmetric) return bell.begin_symmetric();
  if (!bell.may_be_asymmetric()) return;
  if (!fences_.has_cost()) return fences_.set_cost(fence_policy::measure_cost());  // and decides when it is asked again
  bell.begin_asymmetric();
}

template class intake<drain_port>;

}  // namespace detent::detail
