// SPDX-License-Identifier: MIT
// Timers as a C program sees them: 64 bits each.
#include "callback.hpp"
#include "engine_handle.hpp"
#include "last_error.hpp"
#include "timer/run_scope.hpp"

namespace {

using detent::duration;
using detent::timer;
using detent::c::are_given;
using detent::c::guarded;

detent::time_point at(std::int64_t ns) noexcept { return detent::time_point(duration(ns)); }

// Returns the id of the timer that `schedule` makes of the callback, or 0 if it was refused.
template <class Schedule>
detent_timer scheduled(detent_engine* engine, detent_callback function, void* context, Schedule&& schedule) noexcept {
  if (!are_given("engine", engine)) return 0;
  if (function == nullptr) {
    detent::c::keep_error(detent::errc::invalid_option, "callback = null: must be a function");
    return 0;
  }
  const timer made = guarded(timer(), [&] { return schedule(engine->engine, detent::c::callback{function, context}); });
  return made ? detent_engine::id_of(made) : 0;
}

static_assert(static_cast<int>(detent::cancel_result::cancelled) == DETENT_CANCELLED);
static_assert(static_cast<int>(detent::cancel_result::running) == DETENT_RUNNING);
static_assert(static_cast<int>(detent::cancel_result::gone) == DETENT_GONE);

}  // namespace

detent_timer detent_schedule_at(detent_engine* engine, std::int64_t deadline_ns, detent_callback callback,
                                void* context) {
  return scheduled(engine, callback, context,
                   [=](detent::engine& on, auto call) { return on.schedule_at(at(deadline_ns), call); });
}

detent_timer detent_schedule_after(detent_engine* engine, std::int64_t delay_ns, detent_callback callback,
                                   void* context) {
  return scheduled(engine, callback, context,
                   [=](detent::engine& on, auto call) { return on.schedule_after(duration(delay_ns), call); });
}

detent_timer detent_schedule_at_fixed_rate(detent_engine* engine, std::int64_t initial_ns, std::int64_t period_ns,
                                           detent_callback callback, void* context) {
  return detent_schedule_at_fixed_rate_tagged(engine, initial_ns, period_ns, callback, context, 0);
}

detent_timer detent_schedule_with_fixed_delay(detent_engine* engine, std::int64_t initial_ns, std::int64_t delay_ns,
                                              detent_callback callback, void* context) {
  return detent_schedule_with_fixed_delay_tagged(engine, initial_ns, delay_ns, callback, context, 0);
}

detent_timer detent_schedule_at_tagged(detent_engine* engine, std::int64_t deadline_ns, detent_callback callback,
                                       void* context, std::uint64_t tag) {
  return scheduled(engine, callback, context,
                   [=](detent::engine& on, auto call) { return on.schedule_at(at(deadline_ns), call, {.tag = tag}); });
}

detent_timer detent_schedule_after_tagged(detent_engine* engine, std::int64_t delay_ns, detent_callback callback,
                                          void* context, std::uint64_t tag) {
  return scheduled(engine, callback, context, [=](detent::engine& on, auto call) {
    return on.schedule_after(duration(delay_ns), call, {.tag = tag});
  });
}

detent_timer detent_schedule_at_fixed_rate_tagged(detent_engine* engine, std::int64_t initial_ns,
                                                  std::int64_t period_ns, detent_callback callback, void* context,
                                                  std::uint64_t tag) {
  return scheduled(engine, callback, context, [=](detent::engine& on, auto call) {
    return on.schedule_at_fixed_rate(duration(initial_ns), duration(period_ns), call, {.tag = tag});
  });
}

detent_timer detent_schedule_with_fixed_delay_tagged(detent_engine* engine, std::int64_t initial_ns,
                                                     std::int64_t delay_ns, detent_callback callback, void* context,
                                                     std::uint64_t tag) {
  return scheduled(engine, callback, context, [=](detent::engine& on, auto call) {
    return on.schedule_with_fixed_delay(duration(initial_ns), duration(delay_ns), call, {.tag = tag});
  });
}

int detent_cancel(detent_engine* engine, detent_timer timer) {
  if (!are_given("engine", engine)) return DETENT_GONE;
  return static_cast<int>(engine->handle_of(timer).cancel());
}

int detent_cancel_and_wait(detent_engine* engine, detent_timer timer) {
  if (!are_given("engine", engine)) return DETENT_GONE;
  return static_cast<int>(engine->handle_of(timer).cancel_and_wait());
}

int detent_restart_at(detent_engine* engine, detent_timer timer, std::int64_t deadline_ns) {
  if (!are_given("engine", engine)) return 0;
  return engine->handle_of(timer).restart_at(at(deadline_ns)) ? 1 : 0;
}

int detent_restart_after(detent_engine* engine, detent_timer timer, std::int64_t delay_ns) {
  if (!are_given("engine", engine)) return 0;
  return engine->handle_of(timer).restart_after(duration(delay_ns)) ? 1 : 0;
}

int detent_is_pending(detent_engine* engine, detent_timer timer) {
  if (!are_given("engine", engine)) return 0;
  return engine->handle_of(timer).pending() ? 1 : 0;
}

int detent_deadline(detent_engine* engine, detent_timer timer, std::int64_t* deadline_ns) {
  if (!are_given("engine", engine, "deadline_ns", deadline_ns)) return 0;
  const std::optional<detent::time_point> due = engine->handle_of(timer).deadline();
  if (due) *deadline_ns = due->time_since_epoch().count();
  return due ? 1 : 0;
}

int detent_remaining(detent_engine* engine, detent_timer timer, std::int64_t* remaining_ns) {
  if (!are_given("engine", engine, "remaining_ns", remaining_ns)) return 0;
  const std::optional<duration> left = engine->handle_of(timer).remaining();
  if (left) *remaining_ns = left->count();
  return left ? 1 : 0;
}

int detent_read_run(detent_run* run) {
  if (!are_given("run", run)) return 0;
  const detent::firing* const current = detent::detail::run_scope::current();
  if (current == nullptr) return 0;
  const timer self = current->self();
  *run = {.deadline_ns = detent::detail::to_ns(current->deadline()),
          .started_ns = detent::detail::to_ns(current->started()),
          .lateness_ns = current->lateness().count(),
          .missed = current->missed(),
          .tag = current->tag(),
          .timer = self ? detent_engine::id_of(self) : 0,
          .reserved = {}};
  return 1;
}
