// SPDX-License-Identifier: MIT
// Timers that are cancelled, paused and resumed together, at the price of one.
#pragma once

#include <detent/engine.hpp>

#include <cstddef>

namespace detent {

// Schedules like its engine. Any thread may call anything, but for moving and destroying. cancel_all, pause and resume
// cost the same for one timer as for a million: the engine goes through them later, in passing. A group may die before,
// with or after its timers, and may outlive its engine. A group that has been moved from may be destroyed and assigned
// to; every other call on it prints one line on stderr and aborts.
class timer_group {
 public:
  // Throws errc::out_of_memory, forked. Waits for others that are being made, and holds up nobody else.
  explicit timer_group(engine& of);
  timer_group(timer_group&& other) noexcept;
  timer_group& operator=(timer_group&& other) noexcept;
  // cancel_all_and_wait()
  ~timer_group();

  // As the engine's. While the group is paused, what is left of a delay counts from its resumption.
  template <class F>
  timer schedule_at(time_point deadline, F&& f, timer_options options = {}, origin where = origin::current()) {
    return checked(once(detail::to_ns(deadline), std::forward<F>(f), options, where));
  }
  template <class F>
  timer schedule_after(duration delay, F&& f, timer_options options = {}, origin where = origin::current()) {
    return checked(once(detail::deadline_after(&core(), delay.count()), std::forward<F>(f), options, where));
  }
  template <class F>
  timer schedule_at_fixed_rate(duration initial_delay, duration period, F&& f, periodic_options options = {},
                               origin where = origin::current()) {
    return checked(periodic(initial_delay, period, detail::period_kind::fixed_rate, std::forward<F>(f), options, where),
                   period);
  }
  template <class F>
  timer schedule_with_fixed_delay(duration initial_delay, duration delay, F&& f, periodic_options options = {},
                                  origin where = origin::current()) {
    return checked(periodic(initial_delay, delay, detail::period_kind::fixed_delay, std::forward<F>(f), options, where),
                   delay);
  }

  // An empty handle says that nothing was scheduled.
  template <class F>
  timer try_schedule_at(time_point deadline, F&& f, timer_options options = {},
                        origin where = origin::current()) noexcept {
    return or_empty(once(detail::to_ns(deadline), std::forward<F>(f), options, where));
  }
  template <class F>
  timer try_schedule_after(duration delay, F&& f, timer_options options = {},
                           origin where = origin::current()) noexcept {
    return or_empty(once(detail::deadline_after(&core(), delay.count()), std::forward<F>(f), options, where));
  }

  // After it returns no callback of those scheduled so far starts; those already running may finish. Captures,
  // pending() and places follow as the engine goes through the members. Lock-free.
  void cancel_all() noexcept;
  // Also waits for those already running; inside one of them, for the others.
  void cancel_all_and_wait() noexcept;
  // Timers keep the time they have left; of those already handed to an executor, what has not started goes back.
  // Nothing happens if it is paused already. Lock-free, as resume().
  void pause() noexcept;
  // No burst: they go on where they were.
  void resume() noexcept;
  // Members that have not ended; never negative, exact at rest.
  std::size_t pending() const noexcept;

 private:
  // Moved from: says so, naming the call, and aborts.
  detail::engine_core& core(const char* call = __builtin_FUNCTION()) const noexcept {
    if (core_ == nullptr) [[unlikely]]
      detail::used_after_move("timer_group", call);
    return *core_;
  }
  template <class F>
  timer once(detail::nanoseconds_t deadline, F&& f, const timer_options& options, const origin& where,
             const char* call = __builtin_FUNCTION()) {
    return detail::schedule(core(call), {.deadline = deadline, .one_shot = &options, .group = state_, .where = where},
                            std::forward<F>(f));
  }
  template <class F>
  timer periodic(duration initial, duration period, detail::period_kind kind, F&& f, const periodic_options& options,
                 const origin& where, const char* call = __builtin_FUNCTION()) {
    detail::plan when{.periodic = &options, .group = state_, .where = where};
    errc problem = detail::plan_periodic(core(call), initial, period, kind, when);
    if (problem != errc{}) return detail::timer_access::refusal(problem);
    return detail::schedule(*core_, when, std::forward<F>(f));
  }
  timer checked(timer made, duration period = {}) const {
    if (!made) [[unlikely]]
      detail::throw_schedule_error(*core_, detail::timer_access::problem(made), period.count());
    return made;
  }
  static timer or_empty(timer made) noexcept { return made ? made : timer(); }
  void let_go() noexcept;

  detail::engine_core* core_;   // with a reference; null once moved from
  detail::group_state* state_;  // with a reference
};

}  // namespace detent
