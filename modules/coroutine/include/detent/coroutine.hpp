// SPDX-License-Identifier: MIT
// co_await engine.sleep_for(d): a coroutine that sleeps on an engine.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/coroutine.hpp>
#include <detent/base/stop_token.hpp>
#include <detent/engine.hpp>

#include <optional>
#include <utility>

namespace detent {

// The awaitable that engine::sleep_for() and sleep_until() return, to be awaited once at a time. Lives in the
// coroutine's frame, and allocates nothing.
//
// The coroutine goes on where the engine runs callbacks, no matter who asked it to stop. While it is suspended its
// owner may destroy it, on any thread: that cancels the timer. The owner must know that it is suspended, as for any
// coroutine: once its timer's run has started it is not, and the owner that comes later has come too late.
//
// An engine that is stopped or destroyed lets its sleepers be: they stay suspended, for their owners to destroy.
class [[nodiscard]] sleep_awaiter {
 public:
  sleep_awaiter(const sleep_awaiter&) = delete;
  sleep_awaiter& operator=(const sleep_awaiter&) = delete;
  ~sleep_awaiter() {
    if (frame_ == nullptr) return;
    hook_.reset();  // waits for one that runs on another thread
    abandon();
  }

  bool await_ready() noexcept { return token_.stop_requested(); }
  // Throws what engine::schedule_at() throws; the coroutine then goes on with it at once.
  void await_suspend(base::coroutine_handle sleeper) {
    suspend(sleeper.address());
    if (token_.stop_possible()) hook_.emplace(token_, on_stop{this});
    settle();
  }
  // True: the time has elapsed. False: stop was requested.
  bool await_resume() noexcept {
    if (frame_ != nullptr) {
      hook_.reset();  // waits for one that runs on another thread, which waits for none
      leave();
    }
    return !token_.stop_requested();
  }

 private:
  friend class engine;
  // Runs on the thread that requests the stop, and only moves the timer: nothing of the coroutine's own runs there.
  struct on_stop {
    sleep_awaiter* sleeper;
    void operator()() const noexcept { sleeper->hurry(); }
  };

  sleep_awaiter(detail::engine_core& core, time_point deadline, base::stop_token token) noexcept
      : core_(&core), deadline_(deadline), token_(std::move(token)) {}
  // The hook is made and taken out in this header: a stop token's atomics are the program's, and are to be seen where
  // all the others of that token are.
  void suspend(void* frame);
  void settle() noexcept;
  void wake(firing& run);
  void hurry() noexcept;
  void leave() noexcept;
  void abandon() noexcept;

  detail::engine_core* core_;  // a counted reference while suspended
  time_point deadline_;
  base::stop_token token_;
  void* frame_ = nullptr;  // null: not suspended
  timer timer_;
  std::optional<base::stop_callback<on_stop>> hook_;
  // Whether await_suspend() is done with this object: until then the coroutine is not resumed.
  base::atomic<bool> settled_{false};
};

inline sleep_awaiter engine::sleep_for(detail::whole_duration delay, base::stop_token token) {
  detail::engine_core& on = core();
  return {on, detail::to_time(after(delay)), std::move(token)};
}
inline sleep_awaiter engine::sleep_until(detail::clock_time deadline, base::stop_token token) {
  return {core(), deadline, std::move(token)};
}

}  // namespace detent
