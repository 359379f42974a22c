// SPDX-License-Identifier: MIT
// Timers that are cancelled, paused and resumed together, in one step.
#pragma once

#include <detent/engine.hpp>

#include <cstddef>

namespace detent {

class group_sleep;

// Schedules as its engine does. Any thread may call anything, except moving and destroying. cancel_all, pause and
// resume cost the same for one timer as for a million, because the engine goes through the timers later, in passing. A
// group may end before, with or after its timers, and may outlive its engine. A group that has been moved from may be
// destroyed and assigned to; every other call on it prints one line on stderr and aborts.
class timer_group {
 public:
  // Throws errc::out_of_memory, forked. Waits for other groups that are being made, and holds up no other call.
  explicit timer_group(engine& of) : timer_group(of, nullptr) {}
  // Timers that name no executor run on `runs_on`, which is one of engine_options::executors or on_driver(); null
  // stands for the engine's executor. Also throws errc::invalid_option for an executor of another engine.
  timer_group(engine& of, executor* runs_on);
  timer_group(timer_group&& other) noexcept;
  timer_group& operator=(timer_group&& other) noexcept;
  // Cancels all its timers and waits for those that are running, except for the caller's own. As soon as it begins, the
  // group takes no timers: a member that still runs and schedules here is refused with errc::stopped. So no timer of
  // the group starts once it has returned. An assignment ends the group that it replaces in the same way.
  ~timer_group();

  // As the engine's calls; also throw errc::stopped once the group has begun to end. While the group is paused, the
  // rest of a delay counts from its resumption.
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

  // An empty handle means that nothing was scheduled, and its error() says why.
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

  // Sleeps, as the engine's, that are members of the group. While the group is paused the coroutine stays suspended,
  // even if it is asked to stop. The await throws `dropped` once the group has been cancelled.
  group_sleep sleep_for(detail::whole_duration delay, base::stop_token token = {});
  group_sleep sleep_until(detail::clock_time deadline, base::stop_token token = {});
  template <class Options = timer_options>
  group_sleep sleep_for(detail::whole_duration delay, std::type_identity_t<Options> options,
                        base::stop_token token = {});
  template <class Options = timer_options>
  group_sleep sleep_until(detail::clock_time deadline, std::type_identity_t<Options> options,
                          base::stop_token token = {});

  // After it returns, no callback that was scheduled before starts; those that are running may finish. Captures,
  // pending() and places follow as the engine goes through the members. Lock-free.
  void cancel_all() noexcept;
  // Also waits for callbacks that are running; in one of them, for the others. Timers that these schedule in the group
  // during the wait are cancelled as well, so that a callback that schedules its next run ends too. A timer that
  // another thread schedules during the wait stays.
  void cancel_all_and_wait() noexcept;
  // Timers keep the time that they have left. Of the timers that were handed to an executor, those that have not
  // started go back when their turn comes. Once one has gone back, all of them go back before any timer of the group
  // starts again, so their order is kept. Has no effect if the group is paused already. Lock-free, as resume().
  void pause() noexcept;
  // Timers go on where they were, without a burst.
  void resume() noexcept;
  // How many members are pending, as engine::pending() counts them. Never negative, exact at rest.
  std::size_t pending() const noexcept;
  // The value that fired_timer::group() reports for its members. No two groups that exist at the same time share it.
  const void* id() const noexcept {
    static_cast<void>(core());
    return state_;
  }

 private:
  friend class detail::timer_access;
  friend class sharded_group;  // it ends all its parts before it waits for one
  // Prints the name of the call and aborts if the group has been moved from.
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
    if (problem != errc{}) return detail::refused(*core_, when, problem);
    return detail::schedule(*core_, when, std::forward<F>(f));
  }
  template <class... Options>
  timer checked(timer made, const Options&... options) const {
    if (!made) [[unlikely]]
      detail::throw_schedule_error(*core_, detail::timer_access::problem(made), options...);
    return made;
  }
  void let_go() noexcept;

  detail::engine_core* core_;   // a counted reference; null once moved from
  detail::group_state* state_;  // a counted reference
  executor* executor_;          // of the engine; null: the engine's own
};

}  // namespace detent
