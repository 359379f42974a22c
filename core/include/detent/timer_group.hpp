// SPDX-License-Identifier: MIT
// Timers that are cancelled, paused and resumed together, at the price of one.
#pragma once

#include <detent/engine.hpp>

#include <cstddef>

namespace detent {

class group_sleep;

// Schedules like its engine. Any thread may call anything, except moving and destroying. cancel_all, pause and resume
// cost the same for one timer as for a million: the engine goes through them later, in passing. A group may die before,
// with or after its timers, and may outlive its engine. A group that has been moved from may be destroyed and assigned
// to; every other call on it prints one line on stderr and aborts.
class timer_group {
 public:
  // Throws errc::out_of_memory, forked. Waits for others that are being made, and holds up no other call.
  explicit timer_group(engine& of) : timer_group(of, nullptr) {}
  // The group's timers run on `runs_on`, one of engine_options::executors or on_driver(), or on the engine's if that is
  // null, except those that name one themselves. Throws also errc::invalid_option for another engine's.
  timer_group(engine& of, executor* runs_on);
  timer_group(timer_group&& other) noexcept;
  timer_group& operator=(timer_group&& other) noexcept;
  // Cancels all its timers and waits for those already running, but the caller's own. From its beginning on it takes no
  // timers: a member that still runs and schedules here is refused by errc::stopped. So nothing of the group starts
  // once it has returned. Assigning another group to it ends it in the same way.
  ~timer_group();

  // As the engine's; errc::stopped also once the group has begun to end. While it is paused, what is left of a delay
  // counts from its resumption.
  template <class F>
  timer schedule_at(detail::clock_time deadline, F&& f, timer_options options = {}, origin where = origin::current()) {
    return checked(once(detail::to_ns(deadline), std::forward<F>(f), options, where), options);
  }
  template <class F>
  timer schedule_after(detail::whole_duration delay, F&& f, timer_options options = {},
                       origin where = origin::current()) {
    return checked(once(detail::deadline_after(&core(), delay.count()), std::forward<F>(f), options, where), options);
  }
  template <class F>
  timer schedule_at_fixed_rate(detail::whole_duration initial_delay, detail::whole_duration period, F&& f,
                               periodic_options options = {}, origin where = origin::current()) {
    return checked(periodic(initial_delay, period, detail::period_kind::fixed_rate, std::forward<F>(f), options, where),
                   options, period);
  }
  template <class F>
  timer schedule_with_fixed_delay(detail::whole_duration initial_delay, detail::whole_duration delay, F&& f,
                                  periodic_options options = {}, origin where = origin::current()) {
    return checked(periodic(initial_delay, delay, detail::period_kind::fixed_delay, std::forward<F>(f), options, where),
                   options, delay);
  }

  // An empty handle says that nothing was scheduled, and its error() why.
  template <class F>
  timer try_schedule_at(detail::clock_time deadline, F&& f, timer_options options = {},
                        origin where = origin::current()) noexcept {
    return once(detail::to_ns(deadline), std::forward<F>(f), options, where);
  }
  template <class F>
  timer try_schedule_after(detail::whole_duration delay, F&& f, timer_options options = {},
                           origin where = origin::current()) noexcept {
    return once(detail::deadline_after(&core(), delay.count()), std::forward<F>(f), options, where);
  }

  // To be awaited, as the engine's: the sleep is a member. While the group is paused the coroutine stays where it is,
  // even if it is asked to stop. Await throws `dropped` once the group has been cancelled.
  group_sleep sleep_for(detail::whole_duration delay, base::stop_token token = {});
  group_sleep sleep_until(detail::clock_time deadline, base::stop_token token = {});
  template <class Options = timer_options>
  group_sleep sleep_for(detail::whole_duration delay, std::type_identity_t<Options> options,
                        base::stop_token token = {});
  template <class Options = timer_options>
  group_sleep sleep_until(detail::clock_time deadline, std::type_identity_t<Options> options,
                          base::stop_token token = {});

  // After it returns no callback of those scheduled so far starts; those already running may finish. Captures,
  // pending() and places follow as the engine goes through the members. Lock-free.
  void cancel_all() noexcept;
  // Also waits for those already running; inside one of them, for the others. Timers that those schedule here while it
  // waits for them are cancelled with them, so that a callback that schedules its next run ends as well. A timer that
  // another thread schedules during the wait stays.
  void cancel_all_and_wait() noexcept;
  // Timers keep the time they have left; of those already handed to an executor, what has not started goes back when
  // its turn comes, and once one has, all others before any of the group starts again: their order is kept. Nothing
  // happens if it is paused already. Lock-free, as resume().
  void pause() noexcept;
  // No burst: they go on where they were.
  void resume() noexcept;
  // Members that have not ended; never negative, exact at rest.
  std::size_t pending() const noexcept;
  // The value that fired_timer::group() reports of its members. No two groups that exist at the same time share it.
  const void* id() const noexcept {
    static_cast<void>(core());
    return state_;
  }

 private:
  friend class detail::timer_access;
  friend class sharded_group;  // it ends all its parts before it waits for one
  // Moved from: says so, naming the call, and aborts.
  detail::engine_core& core(const char* call = __builtin_FUNCTION()) const noexcept {
    if (core_ == nullptr) [[unlikely]]
      detail::used_after_move("timer_group", call);
    return *core_;
  }
  template <class F>
  timer once(detail::nanoseconds_t deadline, F&& f, const timer_options& options, const origin& where,
             const char* call = __builtin_FUNCTION()) {
    return detail::schedule(
        core(call),
        {.deadline = deadline, .one_shot = &options, .group = state_, .group_executor = executor_, .where = where},
        std::forward<F>(f));
  }
  template <class F>
  timer periodic(duration initial, duration period, detail::period_kind kind, F&& f, const periodic_options& options,
                 const origin& where, const char* call = __builtin_FUNCTION()) {
    detail::plan when{.periodic = &options, .group = state_, .group_executor = executor_, .where = where};
    errc problem = detail::plan_periodic(core(call), initial, period, kind, when);
    if (problem != errc{}) return detail::timer_access::refusal(problem);
    return detail::schedule(*core_, when, std::forward<F>(f));
  }
  template <class... Options>
  timer checked(timer made, const Options&... options) const {
    if (!made) [[unlikely]]
      detail::throw_schedule_error(*core_, detail::timer_access::problem(made), options...);
    return made;
  }
  void let_go() noexcept;

  detail::engine_core* core_;   // with a reference; null once moved from
  detail::group_state* state_;  // with a reference
  executor* executor_;          // of the engine; null: the engine's own
};

}  // namespace detent
