// SPDX-License-Identifier: MIT
#include <detent/detail/place.hpp>
#include <detent/engine.hpp>
#include <detent/timer_group.hpp>

#include "callers/engine_core.hpp"
#include "callers/scheduling.hpp"

namespace detent::detail {

place::place(engine& on) noexcept : place(timer_access::core(on), nullptr, nullptr, "engine") {}

place::place(const timer_group& on) noexcept
    : place(timer_access::core(on), timer_access::state(on), timer_access::group_executor(on), "timer_group") {}

void hold_place(engine_core& core, group_state* group) noexcept {
  core.add_reference();
  if (group != nullptr) group->add_reference();
}

void let_go_of_place(engine_core& core, group_state* group) noexcept {
  if (core.is_forked()) return;  // nothing can be taken apart, as in end_group()
  if (group != nullptr) core.groups.drop_reference(*group);
  core.drop_reference();
}

std::uint64_t own_tag(const engine_core& core, const timer_terms& how, const void* operation) noexcept {
  const executor* const on = how.group_executor;
  if (how.options != nullptr) return 0;
  if (on == nullptr) return own_tag(core, operation);
  return core.executors.keeps_order(core.executors.number(*on)) ? reinterpret_cast<std::uintptr_t>(operation) : 0;
}

nanoseconds_t reported_time(const engine_core& core) noexcept {
  return core.time.is_manual() && core.stopped() ? forever : core.reported_time();
}

void check_options(const engine_core& core, const timer_options& options) {
  // The executors of an engine that has ended are gone; what it refuses, it refuses as stopped.
  if (!core.stopped() && !is_possible(core, {.one_shot = &options}))
    throw_schedule_error(core, errc::invalid_option, options);
}

}  // namespace detent::detail
