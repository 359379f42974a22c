// SPDX-License-Identifier: MIT
// A scheduler for senders and receivers: std::execution's of C++26, or stdexec's if the standard library has none.
// Without either, the header compiles, but a use of detent::scheduler does not: one sentence says why.
#pragma once

#include <detent/base/execution.hpp>
#include <detent/detail/timed_operation.hpp>
#include <detent/engine.hpp>
#include <detent/timer_group.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace detent {

template <class Execution>
class timed_sender;

namespace detail {

class scheduler_access;

inline bool same_options(const std::optional<timer_options>& a, const std::optional<timer_options>& b) noexcept {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->max_lateness == b->max_lateness && a->stale == b->stale && a->slack == b->slack && a->lane == b->lane &&
         a->label == b->label && a->tag == b->tag && a->executor == b->executor;
}

}  // namespace detail

// An engine or a timer_group as a scheduler. An operation completes where the engine runs callbacks, never before its
// time. The scheduler is a small value, to be copied; it refers to the engine or the group, and does not own it.
// Lock-free, and allocates nothing, because the operation state holds everything. It models `scheduler`, and has the
// members that stdexec's exec::timed_scheduler asks for.
//
// An operation completes with set_value() when its time has come. It completes with set_stopped() if its receiver's
// token requests a stop before, on the thread that requests it, or if the engine ends or has ended. It completes with
// set_error(std::error_code) if the engine refuses the timer: capacity_exceeded, out_of_memory, forked; or if its run
// does not come: `dropped`, on the thread that drops it. stop() returns an `unfired_timer` for it as for other timers:
// run() completes the operation with a value, and its destruction completes it as stopped. The engine may end once its
// operations have completed, on any thread.
template <class Execution>
class basic_scheduler : public Execution::scheduler_mark {
  static_assert(Execution::is_there,
                "detent::scheduler needs std::execution (C++26), or the headers of NVIDIA/stdexec on the include path");

 public:
  // Aborts if the engine has been moved from, as the engine's calls do.
  explicit basic_scheduler(engine& of) noexcept : on_{detail::timer_access::core(of)} {
    if (on_.core == nullptr) [[unlikely]]
      detail::used_after_move("engine", "scheduler");
  }
  // Each operation is a member of the group: it is paused with the others, and completes with an error, `dropped`, if
  // the group is cancelled. The group must exist until the operation has been started.
  explicit basic_scheduler(timer_group& of) noexcept
      : on_{detail::timer_access::core(of), detail::timer_access::state(of), detail::timer_access::group_executor(of)} {
    if (on_.core == nullptr) [[unlikely]]
      detail::used_after_move("timer_group", "scheduler");
  }
  // Each timer has these options. If they cannot be met, as with another engine's label or executor, an operation
  // completes with set_error(errc::invalid_option). Without options, an operation on an executor that keeps order has a
  // tag of its own.
  basic_scheduler(engine& of, const timer_options& options) noexcept : basic_scheduler(of) { options_ = options; }
  basic_scheduler(timer_group& of, const timer_options& options) noexcept : basic_scheduler(of) { options_ = options; }

  // Completes as soon as possible, after the timers that are due already.
  [[nodiscard]] timed_sender<Execution> schedule() const noexcept {
    return timed_sender<Execution>({0, true, options_, on_});
  }
  [[nodiscard]] timed_sender<Execution> schedule_at(detail::clock_time deadline) const noexcept {
    return timed_sender<Execution>({detail::to_ns(deadline), false, options_, on_});
  }
  [[nodiscard]] timed_sender<Execution> schedule_at(detail::clock_time deadline,
                                                    const timer_options& options) const noexcept {
    return timed_sender<Execution>({detail::to_ns(deadline), false, options, on_});
  }
  // The delay counts from start(), not from this call.
  [[nodiscard]] timed_sender<Execution> schedule_after(detail::whole_duration delay) const noexcept {
    return timed_sender<Execution>({delay.count(), true, options_, on_});
  }
  [[nodiscard]] timed_sender<Execution> schedule_after(detail::whole_duration delay,
                                                       const timer_options& options) const noexcept {
    return timed_sender<Execution>({delay.count(), true, options, on_});
  }
  // The time by the engine's clock. Wait-free.
  [[nodiscard]] time_point now() const noexcept { return detail::to_time(detail::deadline_after(on_.core, 0)); }

  // Equal schedulers have the same engine or group, and the same options.
  friend bool operator==(const basic_scheduler& a, const basic_scheduler& b) noexcept {
    return a.on_ == b.on_ && detail::same_options(a.options_, b.options_);
  }

 private:
  friend class timed_sender<Execution>;
  friend class detail::scheduler_access;
  basic_scheduler(const detail::timer_place& on, const std::optional<timer_options>& options) noexcept
      : on_(on), options_(options) {}

  detail::timer_place on_;
  std::optional<timer_options> options_;
};

using scheduler = basic_scheduler<base::execution>;

namespace detail {

class scheduler_access {
 public:
  template <class Scheduler>
  static const timer_place& place(const Scheduler& of) noexcept {
    return of.on_;
  }
  template <class Scheduler>
  static const std::optional<timer_options>& options(const Scheduler& of) noexcept {
    return of.options_;
  }
};

}  // namespace detail

// A sender of one timer. It may be connected any number of times, each of which is a timer of its own.
template <class Execution>
class [[nodiscard]] timed_sender {
 public:
  using sender_concept = typename Execution::sender_tag;
  using completion_signatures = typename Execution::completions;

  class env {
   public:
    // set_stopped is left out, because it may come on the thread that requests the stop.
    template <class... Env>
    basic_scheduler<Execution> query(typename Execution::completion_scheduler_query, const Env&...) const noexcept {
      return basic_scheduler<Execution>(on_, options_);
    }

   private:
    friend class timed_sender;
    env(const detail::timer_place& on, const std::optional<timer_options>& options) noexcept
        : on_(on), options_(options) {}
    detail::timer_place on_;
    std::optional<timer_options> options_;
  };
  env get_env() const noexcept { return env(when_.of, when_.options); }

  template <class Receiver>
  detail::timed_operation<Execution, Receiver> connect(Receiver receiver) const
      noexcept(std::is_nothrow_move_constructible_v<Receiver>) {
    return {when_, std::move(receiver)};
  }

 private:
  friend class basic_scheduler<Execution>;
  explicit timed_sender(const detail::timed_start& when) noexcept : when_(when) {}

  detail::timed_start when_;
};

}  // namespace detent
