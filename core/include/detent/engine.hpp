// SPDX-License-Identifier: MIT
// The engine: schedules callbacks from any thread, and fires each at its deadline, never before it.
#pragma once

#include <detent/base/stop_token.hpp>
#include <detent/detail/bulk.hpp>
#include <detent/detail/loose_options.hpp>
#include <detent/detail/schedule.hpp>
#include <detent/detail/stoppable.hpp>
#include <detent/error.hpp>
#include <detent/metrics.hpp>
#include <detent/options.hpp>
#include <detent/pending_timer.hpp>
#include <detent/timer.hpp>
#include <detent/unfired_timer.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace detent {

class sleep_awaiter;
class sleep_with_options;

// Any number of threads may call anything at once, with two exceptions: poll, next_deadline and wake_fd are for one
// thread at a time, and no call may run while the engine is moved or destroyed. Every duration is legal: a deadline in
// the past fires as soon as possible, and a huge one saturates. Deadlines fire in order; equal ones of one thread fire
// in the order in which that thread last armed them. An engine that has been moved from may be destroyed and assigned
// to; every other call on it prints one line on stderr and aborts.
class engine {
 public:
  // Throws detent::error (invalid_option, not_permitted, limit_reached, out_of_memory), whose line names the option,
  // the value and the cure.
  explicit engine();
  explicit engine(engine_options options);
  // Returns none on failure; `problem` then has the code and the sentence of that exception.
  static std::optional<engine> try_create(engine_options options, failure& problem) noexcept;
  // Selected for a list of options of which one has a wrong type. It does not compile, and the error names the option.
  template <class Wrong = detail::loose_engine_options>
  explicit engine(std::type_identity_t<Wrong>) : core_(nullptr) {}
  template <class Wrong = detail::loose_engine_options>
  static std::optional<engine> try_create(std::type_identity_t<Wrong>, failure&) noexcept {
    return std::nullopt;
  }
  engine(engine&& other) noexcept;
  engine& operator=(engine&& other) noexcept;
  // Stops the engine, and destroys unrun what was pending. Any thread may do it, also in one of the engine's callbacks.
  ~engine();

  // Lock-free. In the steady state they allocate nothing, and the only system call is the one that wakes a sleeping
  // worker. `deadline` is a time_point of detent::clock and `delay` a std::chrono::duration, both in whole numbers.
  // Throw capacity_exceeded, stopped, invalid_option (lane, slack, a label or an executor of another engine),
  // invalid_period, out_of_memory or forked; then nothing of the timer remains.
  template <class F>
  timer schedule_at(detail::clock_time deadline, F&& f, origin where = origin::current()) {
    return checked(detail::schedule_once(core_, detail::to_ns(deadline), std::forward<F>(f), where));
  }
  template <class F>
  timer schedule_at(detail::clock_time deadline, F&& f, timer_options options, origin where = origin::current()) {
    return checked(detail::schedule_once(core(), detail::to_ns(deadline), std::forward<F>(f), options, where), options);
  }
  template <class F>
  timer schedule_after(detail::whole_duration delay, F&& f, origin where = origin::current()) {
    return checked(detail::schedule_once(core_, after(delay), std::forward<F>(f), where));
  }
  template <class F>
  timer schedule_after(detail::whole_duration delay, F&& f, timer_options options, origin where = origin::current()) {
    return checked(detail::schedule_once(core(), after(delay), std::forward<F>(f), options, where), options);
  }
  // A stop request also cancels the timer, on the thread that makes the request. base::stop_token is std::stop_token.
  template <class F>
  timer schedule_after(detail::whole_duration delay, base::stop_token stop, F&& f, timer_options options = {},
                       origin where = origin::current()) {
    return checked(
        detail::schedule_stoppable(core(), after(delay), std::move(stop), std::forward<F>(f), options, where), options);
  }
  // Fires at initial + n * period, without drift. `period` must be positive.
  template <class F>
  timer schedule_at_fixed_rate(detail::whole_duration initial_delay, detail::whole_duration period, F&& f,
                               periodic_options options = {}, origin where = origin::current()) {
    return checked(periodic(initial_delay, period, detail::period_kind::fixed_rate, std::forward<F>(f), options, where),
                   options, period);
  }
  // The next run comes `delay` after the end of the last one. `delay` must be positive.
  template <class F>
  timer schedule_with_fixed_delay(detail::whole_duration initial_delay, detail::whole_duration delay, F&& f,
                                  periodic_options options = {}, origin where = origin::current()) {
    return checked(periodic(initial_delay, delay, detail::period_kind::fixed_delay, std::forward<F>(f), options, where),
                   options, delay);
  }

  // The same calls for programs without exceptions. An empty handle means that nothing was scheduled, and its error()
  // says why. They are noexcept, so a callable whose copy or move throws ends the program.
  template <class F>
  timer try_schedule_at(detail::clock_time deadline, F&& f, origin where = origin::current()) noexcept {
    return detail::schedule_once(core_, detail::to_ns(deadline), std::forward<F>(f), where);
  }
  template <class F>
  timer try_schedule_at(detail::clock_time deadline, F&& f, timer_options options,
                        origin where = origin::current()) noexcept {
    return detail::schedule_once(core(), detail::to_ns(deadline), std::forward<F>(f), options, where);
  }
  template <class F>
  timer try_schedule_after(detail::whole_duration delay, F&& f, origin where = origin::current()) noexcept {
    return detail::schedule_once(core_, after(delay), std::forward<F>(f), where);
  }
  template <class F>
  timer try_schedule_after(detail::whole_duration delay, F&& f, timer_options options,
                           origin where = origin::current()) noexcept {
    return detail::schedule_once(core(), after(delay), std::forward<F>(f), options, where);
  }
  template <class F>
  timer try_schedule_at_fixed_rate(detail::whole_duration initial_delay, detail::whole_duration period, F&& f,
                                   periodic_options options = {}, origin where = origin::current()) noexcept {
    return periodic(initial_delay, period, detail::period_kind::fixed_rate, std::forward<F>(f), options, where);
  }
  template <class F>
  timer try_schedule_with_fixed_delay(detail::whole_duration initial_delay, detail::whole_duration delay, F&& f,
                                      periodic_options options = {}, origin where = origin::current()) noexcept {
    return periodic(initial_delay, delay, detail::period_kind::fixed_delay, std::forward<F>(f), options, where);
  }

  // Sleeps of a coroutine, which includes <detent/coroutine.hpp>. The await returns true when the time has elapsed, and
  // false when stop was requested. It throws what schedule_at() throws, and `stopped` or `dropped` if the timer ends
  // without a run. `options` is timer_options. Without options, a sleep on an executor that keeps order gets a tag of
  // its coroutine's own.
  using sleep_awaiter = detent::sleep_awaiter;
  sleep_awaiter sleep_for(detail::whole_duration delay, base::stop_token token = {});
  sleep_awaiter sleep_until(detail::clock_time deadline, base::stop_token token = {});
  template <class Options = timer_options>
  sleep_with_options sleep_for(detail::whole_duration delay, std::type_identity_t<Options> options,
                               base::stop_token token = {});
  template <class Options = timer_options>
  sleep_with_options sleep_until(detail::clock_time deadline, std::type_identity_t<Options> options,
                                 base::stop_token token = {});

  // Schedules one timer for each deadline, but no more than `out` has room for. `f` is called as f(index) or f(firing&,
  // index), and the handles go to `out`. There is one publication and at most one wake-up for all timers, except in an
  // engine that records. Each timer has a copy of `f`; if `f` is large, they share one. Returns how many timers were
  // scheduled, from the first on: fewer if max_pending or memory ran out. If none were, throws what schedule_at()
  // throws, except for these two causes. Throws bad_alloc if there is no memory for a shared `f`.
  template <class F>
  std::size_t schedule_at_bulk(std::span<const time_point> deadlines, F&& f, std::span<timer> out,
                               timer_options options = {}, origin where = origin::current()) {
    detail::bulk_result done = detail::schedule_bulk(core(), deadlines, std::forward<F>(f), out, options, where);
    const bool ran_out = done.problem == errc::capacity_exceeded || done.problem == errc::out_of_memory;
    if (done.scheduled == 0 && done.problem != errc{} && !ran_out)
      detail::throw_schedule_error(*core_, done.problem, options);
    return done.scheduled;
  }
  // Returns how many timers this call cancelled. One publication for each 64 timers, and at most one wake-up.
  std::size_t cancel_bulk(std::span<const timer> timers) noexcept { return detail::cancel_many(core(), timers); }

  // From now on the engine takes no timers: schedule calls are refused with errc::stopped, as after stop(). Pending
  // timers still fire and can be restarted and cancelled, until stop(). Does not wait. Any thread may call it, also a
  // callback. A schedule call that is under way may still succeed.
  void close() noexcept;
  // Ends the engine, and returns every timer that had not ended, once each. Waits for running callbacks. Later and
  // concurrent calls wait for the first one and return nothing. Throws errc::called_from_callback in one of the
  // engine's callbacks, or in the destructor of a capture that its end destroys, and errc::forked in the child of a
  // fork. Throws errc::out_of_memory if there is no memory for the vector. The engine has stopped then; stop() has
  // destroyed every timer unrun, and try_stop() those that it does not return.
  std::vector<unfired_timer> stop();
  std::vector<unfired_timer> try_stop(failure& problem) noexcept;
  // Lets pending timers fire for at most that long, or until none is pending, and then does the same as stop(). A
  // periodic timer does not end by itself, and new timers are taken until then: cancel the periodic ones first, and
  // call close() against new ones. Looks every millisecond. Throws what stop() throws, and wrong_drive if a caller
  // drives the engine, because it would wait for that caller's poll().
  std::vector<unfired_timer> drain_for(detail::whole_duration at_most);
  bool stopped() const noexcept;

  // How many timers are pending. A periodic timer counts until its last run has ended. A member that its group has
  // cancelled counts until the engine has reached it. Never negative, includes the caller's own completed calls, exact
  // at rest.
  std::size_t pending() const noexcept;
  engine_metrics metrics() const;
  // The metrics of the timers with that label, as far as they are counted for one: scheduled, ended, pending, fired,
  // missed, restarted, failed, and all histograms. All are zero for a label that is none, or another engine's.
  engine_metrics metrics(label of) const;
  // Makes a name under which timers are counted apart: timer_options::label. The same name gives the same label. There
  // may be 255 names of 1 to 63 bytes. Takes a lock, and allocates. Throws invalid_option, capacity_exceeded,
  // out_of_memory, forked, and limit_reached if the counters file has no room.
  label make_label(std::string_view name);
  // For a library on top of the engine, such as durable timers: shows in the counters file why the library's work
  // waits, and how much of it, until the next call. `text` is "reason: sentence", at most 239 bytes; an empty text
  // means that no work waits. One caller at a time. The engine does nothing with it.
  void show_stall(const char* text, std::uint64_t waiting) noexcept;
  // Returns every pending timer, while the engine goes on. Each is reported as it was at some moment of the call;
  // timers that come or end during the call may be missing. Linear in the timers that were ever pending at once. Throws
  // bad_alloc.
  std::vector<pending_timer> list_pending() const;
  // The time by the engine's clock; with clock_kind::automatic, by steady_clock. Wait-free.
  time_point now() const noexcept;
  // The worker's thread, so that a program can put it into a cgroup, rank it or name it: as the kernel numbers it
  // (gettid on Linux; 0 on the portable ground), and as std::thread::native_handle() returns it. Zero if a caller
  // drives the engine, and once it is stopped or forked, because there is no such thread then.
  std::int32_t worker_thread_id() const noexcept;
  std::thread::native_handle_type native_handle() const noexcept;

  // For caller-driven engines; others throw errc::wrong_drive. Throw not_permitted while another thread is inside one
  // of the three, and called_from_callback in a callback that poll runs.
  // poll fires what is due at one reading of the clock, in order. It also fires what callbacks arm for that instant,
  // but each timer at most once. `max_callbacks` bounds the callbacks that it runs and hands over. Those that executors
  // had refused are offered again first, beyond that bound. Returns how many callbacks ran inside the call, without
  // those that an executor took to run elsewhere or later. In an engine without executors a callback may end its thread
  // (pthread_exit); the next poll goes on with the pass.
  std::size_t poll(std::size_t max_callbacks = SIZE_MAX);
  // The next deadline or an earlier time, never a later one. None when nothing is pending. Timers that an executor has
  // taken do not count.
  std::optional<time_point> next_deadline();
  // A descriptor that is readable when poll() has something to do, also for what other threads submit. It is closed
  // with the engine. Throws limit_reached if there is no descriptor left.
  int wake_fd();

 private:
  friend class timer_group;
  friend class detail::timer_access;
  explicit engine(detail::engine_core* core) noexcept : core_(core) {}
  void let_go() noexcept;

  // Prints the name of the call and aborts if the engine has been moved from.
  detail::engine_core& core(const char* call = __builtin_FUNCTION()) const noexcept {
    if (core_ == nullptr) [[unlikely]]
      detail::used_after_move("engine", call);
    return *core_;
  }
  detail::nanoseconds_t after(duration delay) const noexcept { return detail::deadline_after(core_, delay.count()); }

  // Returns the handle that a schedule call made, or throws its refusal.
  template <class... Options>
  timer checked(timer made, const Options&... options) const {
    if (!made) [[unlikely]]
      detail::throw_schedule_error(*core_, detail::timer_access::problem(made), options...);
    return made;
  }

  template <class F>
  timer periodic(duration initial, duration period, detail::period_kind kind, F&& f, const periodic_options& options,
                 const origin& where, const char* call = __builtin_FUNCTION()) {
    detail::plan when{.periodic = &options, .where = where};
    errc problem = detail::plan_periodic(core(call), initial, period, kind, when);
    if (problem != errc{}) return detail::refused(*core_, when, problem);
    return detail::schedule(*core_, when, std::forward<F>(f));
  }

  detail::engine_core* core_;  // null once moved from
};

}  // namespace detent
