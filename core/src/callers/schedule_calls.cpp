// SPDX-License-Identifier: MIT
// What the templates of detail/schedule.hpp call.
#include "engine/engine_core.hpp"
#include "observe/probes.hpp"

namespace detent::detail {

claim claim_node(engine_core& core, const plan& when) noexcept {
  claim made = core.claim_node(when);
  if (made.owned == nullptr) probes::refuse_call(&core, made.problem);
  return made;
}
void abandon(engine_core& core, const claim& owned) noexcept { core.abandon(owned); }

timer publish(engine_core& core, const claim& owned, const callable_ops& ops, const plan& when, bool boxed) noexcept {
  return core.publish(owned, ops, when, boxed);
}

nanoseconds_t deadline_after(const engine_core* core, nanoseconds_t delay) noexcept {
  if (core == nullptr) [[unlikely]]
    used_after_move("engine", "schedule_after");
  // A group may outlive its engine, which a manual clock need not: what has stopped refuses, whatever the deadline.
  if (core->time().is_manual() && core->stopped()) [[unlikely]]
    return forever;
  nanoseconds_t now = core->time().not_before_now();
  return delay <= 0 ? now : add_saturated(now, delay);
}

errc plan_periodic(const engine_core& core, duration initial, duration period, period_kind kind, plan& made) noexcept {
  if (period.count() <= 0) return errc::invalid_period;
  made.deadline = deadline_after(&core, initial.count());
  made.period = period.count();
  made.kind = kind;
  return errc{};
}

}  // namespace detent::detail
