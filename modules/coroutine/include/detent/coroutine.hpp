// SPDX-License-Identifier: MIT
// co_await engine.sleep_for(d): a coroutine that sleeps on an engine, or as a member of a timer_group.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/coroutine.hpp>
#include <detent/base/stop_token.hpp>
#include <detent/detail/timed_frame.hpp>
#include <detent/engine.hpp>
#include <detent/timer_group.hpp>

#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace detent {

// The awaitable that engine::sleep_for() and sleep_until() return, to be awaited by one coroutine at a time. Lives in
// the coroutine's frame, and allocates nothing.
//
// The coroutine goes on where the engine runs callbacks, no matter who asked it to stop. If its timer ends without a
// run, it goes on as well, on the thread that ends the timer, and the await throws (docs/endings.md).
//
// While the coroutine is suspended its owner may destroy it, on any thread; that cancels the timer. As for any
// coroutine, the owner must know that it is suspended. Once its timer's run or end has started it is not, and it is too
// late to destroy it.
class [[nodiscard]] sleep_awaiter : protected detail::timed_frame {
 public:
  ~sleep_awaiter() {
    if (coroutine_ == nullptr) return;
    hook_.reset();  // waits for one that runs on another thread
    abandon();
  }

  bool await_ready() noexcept { return token_.stop_requested(); }
  // Throws what engine::schedule_at() throws; the coroutine then goes on at once, with that exception.
  void await_suspend(base::coroutine_handle sleeper) { begin(sleeper, {}); }
  // True: the time has elapsed. False: stop was requested. Throws error if the timer has ended without its run although
  // no stop was requested: `stopped` if the engine has ended, `dropped` otherwise.
  bool await_resume() {
    if (coroutine_ == nullptr) return !token_.stop_requested();
    hook_.reset();  // waits for one that runs on another thread, which waits for none
    const bool elapsed = !token_.stop_requested();
    if (elapsed && problem_ != errc{}) [[unlikely]]
      fail();
    leave();
    return elapsed;
  }

 protected:
  // For moves before it is awaited.
  sleep_awaiter(sleep_awaiter&& other) noexcept
      : timed_frame(*other.core_), deadline_(other.deadline_), token_(std::move(other.token_)) {}
  sleep_awaiter(detail::engine_core& core, time_point deadline, base::stop_token token) noexcept
      : timed_frame(core), deadline_(deadline), token_(std::move(token)) {}
  void begin(base::coroutine_handle sleeper, const detail::timer_terms& how) {
    arm_sleep(sleeper, how);
    settle();
  }
  // The first half of begin(). The coroutine is not resumed before the second half.
  void arm_sleep(base::coroutine_handle sleeper, const detail::timer_terms& how) {
    suspend(sleeper.address(), how);
    if (token_.stop_possible()) hook_.emplace(token_, on_stop{this});
  }
  void settle() noexcept;

 private:
  friend class engine;
  friend struct detail::frame_ops<sleep_awaiter>;
  // Runs on the thread that requests the stop, and only moves the timer. No code of the coroutine runs there.
  struct on_stop {
    sleep_awaiter* sleeper;
    void operator()() const noexcept { sleeper->hurry(); }
  };

  // The hook is made and removed in this header, so that the program's compiler flags, such as a sanitizer's, apply to
  // all atomic operations on its stop token.
  void suspend(void* coroutine, const detail::timer_terms& how);
  bool is_ready(firing& run) noexcept;
  void on_run();
  void on_end(bool guarded);
  void leave() noexcept;
  void abandon() noexcept;
  [[noreturn]] void fail();

  time_point deadline_;
  base::stop_token token_;
  void* coroutine_ = nullptr;  // null: not suspended
  std::optional<base::stop_callback<on_stop>> hook_;
  // Whether await_suspend() has finished with this object. Until then the coroutine is not resumed.
  base::atomic<bool> settled_{false};
  std::thread::id starter_;  // the thread that is in await_suspend(), until it is done
  errc problem_{};           // why the timer has ended without its run
};

// A sleep with options: a tag, a label, a lane, slack, an executor. If it is later than its max_lateness it throws
// `dropped`, or with stale_policy::run goes on late.
class [[nodiscard]] sleep_with_options : public sleep_awaiter {
 public:
  sleep_with_options(const sleep_with_options&) = delete;
  sleep_with_options& operator=(const sleep_with_options&) = delete;

  const timer_options& options() const noexcept { return options_; }
  void await_suspend(base::coroutine_handle sleeper) { begin(sleeper, {.options = &options_}); }

 private:
  friend class engine;
  sleep_with_options(detail::engine_core& core, time_point deadline, const timer_options& options,
                     base::stop_token token) noexcept
      : sleep_awaiter(core, deadline, std::move(token)), options_(options) {}

  const timer_options options_;
};

// A sleep that is a timer of a group. The group may end before it.
class [[nodiscard]] group_sleep : public sleep_awaiter {
 public:
  group_sleep(const group_sleep&) = delete;
  group_sleep& operator=(const group_sleep&) = delete;

  const std::optional<timer_options>& options() const noexcept { return options_; }
  const detail::place& place() const noexcept { return on_; }
  void await_suspend(base::coroutine_handle sleeper) { begin(sleeper, on_.with(options_ ? &*options_ : nullptr)); }

 private:
  friend class timer_group;
  group_sleep(detail::engine_core& core, const timer_group& on, time_point deadline,
              const std::optional<timer_options>& options, base::stop_token token) noexcept
      : sleep_awaiter(core, deadline, std::move(token)), on_(on), options_(options) {}

  const detail::place on_;
  const std::optional<timer_options> options_;
};

inline sleep_awaiter engine::sleep_for(detail::whole_duration delay, base::stop_token token) {
  detail::engine_core& on = core();
  return {on, detail::to_time(after(delay)), std::move(token)};
}
inline sleep_awaiter engine::sleep_until(detail::clock_time deadline, base::stop_token token) {
  return {core(), deadline, std::move(token)};
}
template <class Options>
sleep_with_options engine::sleep_for(detail::whole_duration delay, std::type_identity_t<Options> options,
                                     base::stop_token token) {
  detail::engine_core& on = core();
  return {on, detail::to_time(after(delay)), options, std::move(token)};
}
template <class Options>
sleep_with_options engine::sleep_until(detail::clock_time deadline, std::type_identity_t<Options> options,
                                       base::stop_token token) {
  return {core(), deadline, options, std::move(token)};
}

inline group_sleep timer_group::sleep_for(detail::whole_duration delay, base::stop_token token) {
  detail::engine_core& of = core();
  const time_point deadline = detail::to_time(detail::deadline_after(&of, delay.count()));
  return {of, *this, deadline, std::nullopt, std::move(token)};
}
inline group_sleep timer_group::sleep_until(detail::clock_time deadline, base::stop_token token) {
  return {core(), *this, deadline, std::nullopt, std::move(token)};
}
template <class Options>
group_sleep timer_group::sleep_for(detail::whole_duration delay, std::type_identity_t<Options> options,
                                   base::stop_token token) {
  detail::engine_core& of = core();
  const time_point deadline = detail::to_time(detail::deadline_after(&of, delay.count()));
  return {of, *this, deadline, options, std::move(token)};
}
template <class Options>
group_sleep timer_group::sleep_until(detail::clock_time deadline, std::type_identity_t<Options> options,
                                     base::stop_token token) {
  return {core(), *this, deadline, options, std::move(token)};
}

}  // namespace detent
