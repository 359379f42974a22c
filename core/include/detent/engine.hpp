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
#include <detent/unfired.hpp>

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

// Any number of threads may call anything at once, except poll, next_deadline and wake_fd (one thread at a time), and
// moving and destroying. Any duration is legal: what is past fires as soon as possible, what is huge saturates.
// Deadlines fire in order; equal ones of one thread in the order in which that thread last armed them. An engine that
// has been moved from may be destroyed and assigned to; every other call on it prints one line on stderr and aborts.
class engine {
 public:
  // Throws detent::error (invalid_option, not_permitted, limit_reached, out_of_memory), naming the option, the value
  // and the cure.
  explicit engine(engine_options options = {});
  static std::optional<engine> try_create(engine_options options, std::error_code& problem) noexcept;
  // Chosen for a list of options of which one has a wrong type: does not compile, and the error names the option.
  template <class Wrong = detail::loose_engine_options>
  explicit engine(std::type_identity_t<Wrong>) : core_(nullptr) {}
  template <class Wrong = detail::loose_engine_options>
  static std::optional<engine> try_create(std::type_identity_t<Wrong>, std::error_code&) noexcept {
    return std::nullopt;
  }
  engine(engine&& other) noexcept;
  engine& operator=(engine&& other) noexcept;
  // Stops; destroys unrun what was pending. Any thread, the engine's own callbacks included.
  ~engine();

  // Lock-free; in the steady state free of allocation, and of system calls but the one that wakes a sleeping worker.
  // `deadline` is a time_point, of detent::clock, and `delay` a std::chrono::duration, both of whole numbers. Throw
  // capacity_exceeded, stopped, invalid_option (lane, slack, another engine's label), invalid_period, out_of_memory,
  // forked; nothing is left over.
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
  // A stop request cancels it, on the thread that makes the request. base::stop_token is std::stop_token.
  template <class F>
  timer schedule_after(detail::whole_duration delay, base::stop_token stop, F&& f, timer_options options = {},
                       origin where = origin::current()) {
    return checked(
        detail::schedule_stoppable(core(), after(delay), std::move(stop), std::forward<F>(f), options, where), options);
  }
  // Fires at initial + n * period, without drift. `period` is positive.
  template <class F>
  timer schedule_at_fixed_rate(detail::whole_duration initial_delay, detail::whole_duration period, F&& f,
                               periodic_options options = {}, origin where = origin::current()) {
    return checked(periodic(initial_delay, period, detail::period_kind::fixed_rate, std::forward<F>(f), options, where),
                   options, period);
  }
  // The next run comes `delay` after the end of the last. `delay` is positive.
  template <class F>
  timer schedule_with_fixed_delay(detail::whole_duration initial_delay, detail::whole_duration delay, F&& f,
                                  periodic_options options = {}, origin where = origin::current()) {
    return checked(periodic(initial_delay, delay, detail::period_kind::fixed_delay, std::forward<F>(f), options, where),
                   options, delay);
  }

  // The same for programs without exceptions: an empty handle says that nothing was scheduled, and its error() why.
  // They are noexcept: a callable whose copy or move throws ends the program.
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

  // To be awaited, by a coroutine that includes <detent/coroutine.hpp>: true when the time has elapsed, false when stop
  // was requested. Await throws what schedule_at() throws; and `stopped` or `dropped` where its timer ends without a
  // run. `options` is timer_options. Without them a sleep on an executor that keeps order has a tag of its coroutine's
  // own.
  using sleep_awaiter = detent::sleep_awaiter;
  sleep_awaiter sleep_for(detail::whole_duration delay, base::stop_token token = {});
  sleep_awaiter sleep_until(detail::clock_time deadline, base::stop_token token = {});
  template <class Options = timer_options>
  sleep_with_options sleep_for(detail::whole_duration delay, std::type_identity_t<Options> options,
                               base::stop_token token = {});
  template <class Options = timer_options>
  sleep_with_options sleep_until(detail::clock_time deadline, std::type_identity_t<Options> options,
                                 base::stop_token token = {});

  // One timer for each deadline, with `f` called as f(index) or f(firing&, index), the handles in `out`, as many as
  // have room there. One publication and at most one wake-up for all, except in an engine that records; each has a copy
  // of `f`, or where that is large they share one. Returns how many were scheduled, from the first on: fewer where
  // capacity or memory ran out. If none were, throws what schedule_at throws, except for these two; and bad_alloc where
  // `f` is to be shared.
  template <class F>
  std::size_t schedule_at_bulk(std::span<const time_point> deadlines, F&& f, std::span<timer> out,
                               timer_options options = {}, origin where = origin::current()) {
    detail::bulk_result done = detail::schedule_bulk(core(), deadlines, std::forward<F>(f), out, options, where);
    const bool ran_out = done.problem == errc::capacity_exceeded || done.problem == errc::out_of_memory;
    if (done.scheduled == 0 && done.problem != errc{} && !ran_out)
      detail::throw_schedule_error(*core_, done.problem, options);
    return done.scheduled;
  }
  // Returns how many this call cancelled. One publication for each 64, and at most one wake-up.
  std::size_t cancel_bulk(std::span<const timer> timers) noexcept { return detail::cancel_many(core(), timers); }

  // From now on no timer is taken: schedule calls are refused by errc::stopped, as after stop(). Pending timers
  // fire, are restarted and cancelled as before, until stop(). Waits for nothing; any thread, callbacks included. A
  // schedule call that is under way may still be taken.
  void close() noexcept;
  // Every timer that had not ended, once each; waits for running callbacks. Later and concurrent calls wait for the
  // first and return nothing. From one of its callbacks, or from a capture that its end destroys:
  // errc::called_from_callback; in the child of a fork: errc::forked. Without memory for the vector
  // errc::out_of_memory: it has stopped, and what try_stop() does not return, of stop() all, was destroyed unrun.
  std::vector<unfired> stop();
  std::vector<unfired> try_stop(std::error_code& problem) noexcept;
  // Lets what is pending fire for at most that long, and returns as soon as nothing is: then the same as stop(). A
  // periodic timer does not end by itself, and schedule calls are taken until then: end those first, these by close().
  // Looks every millisecond. Throws what stop() throws, and wrong_drive where a caller drives, whose poll() it would
  // wait for.
  std::vector<unfired> stop_for(detail::whole_duration at_most);
  bool stopped() const noexcept;

  // Never negative, includes the caller's own completed calls, exact at rest.
  std::size_t pending() const noexcept;
  engine_metrics metrics() const;
  // Of the timers with that label, as far as it is counted for one: scheduled, ended, pending, fired, missed,
  // restarted, failed, and all histograms. Of none, or another engine's: nothing.
  engine_metrics metrics(label of) const;
  // Names timers to be counted apart: timer_options::label. The same label for the same name; up to 255 names of 1 to
  // 63 bytes. Takes a lock, and memory. Throws invalid_option, capacity_exceeded, out_of_memory, forked, and what the
  // counters file has no room for: limit_reached.
  label make_label(std::string_view name);
  // For a library on top of the engine, as durable timers are: shows in the counters file why its work waits and how
  // much of it, as "reason: sentence" of at most 239 bytes, until the next call; empty: none waits. One caller at a
  // time. The engine does nothing with it.
  void show_stall(const char* text, std::uint64_t waiting) noexcept;
  // Every pending timer, while the engine goes on: each as it was at some moment of the call, those that come or end
  // during the call perhaps not. Linear in the timers that were ever pending at once. Throws bad_alloc.
  std::vector<pending_timer> list_pending() const;
  // By the engine's clock; with clock_kind::automatic, steady_clock's. Wait-free.
  time_point now() const noexcept;
  // The worker's thread, to put it into a cgroup, to rank it, to name it: as the kernel numbers it (gettid on Linux; 0
  // on the portable ground), and as std::thread::native_handle() would be. Zero where a caller drives, and once the
  // engine is stopped or forked: then there is no such thread.
  std::int32_t worker_thread_id() const noexcept;
  std::thread::native_handle_type native_handle() const noexcept;

  // Caller-driven engines; else errc::wrong_drive. While another thread is inside one of the three: not_permitted; from
  // a callback that poll runs: called_from_callback. poll fires what is due at one reading of the clock, in order, what
  // callbacks arm for that instant included, a timer at most once; `max_callbacks` bounds what runs and is handed over.
  // Returns how many callbacks ran inside the call: not what an executor took to run elsewhere or later.
  // A callback may end its thread (pthread_exit) in an engine without executors: the next poll goes on with the pass.
  std::size_t poll(std::size_t max_callbacks = SIZE_MAX);
  // Never later than the true one; none when nothing is pending.
  std::optional<time_point> next_deadline();
  // Readable when poll() has something to do, what other threads submit included. Closed with the engine. Throws
  // limit_reached where there is no descriptor left.
  int wake_fd();

 private:
  friend class timer_group;
  friend class detail::timer_access;
  explicit engine(detail::engine_core* core) noexcept : core_(core) {}
  void let_go() noexcept;

  // Moved from: says so, naming the call, and aborts.
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
    if (problem != errc{}) return detail::timer_access::refusal(problem);
    return detail::schedule(*core_, when, std::forward<F>(f));
  }

  detail::engine_core* core_;  // null once moved from
};

}  // namespace detent
