// SPDX-License-Identifier: MIT
// How a sleeping coroutine meets its timer, a stop request, the end of its engine, and its own end.
#include <detent/coroutine.hpp>

#include <detent/base/limit.hpp>
#include <detent/detail/stoppable.hpp>

#include "callers/engine_core.hpp"
#include "callers/refusals.hpp"

#include <chrono>
#include <thread>

namespace detent {
namespace {

// If a run comes before its timer is settled, it waits for this many pauses, which suffice unless the other thread has
// lost its processor. Then it comes again after a time in which that thread gets one.
constexpr int pauses_to_settle = base::limit(64, 1);
constexpr std::int64_t settled_after = 1'000'000;

}  // namespace

// The frame may outlive the engine, so it holds a reference to its core.
void sleep_awaiter::suspend(void* coroutine, const detail::timer_terms& how) {
  settled_.store(false, base::relaxed);  // relaxed: published with the timer, like the rest
  problem_ = errc{};
  starter_ = std::this_thread::get_id();
  coroutine_ = coroutine;
  core_->add_reference();
  const errc refused = arm_apart(detail::to_ns(deadline_), how, coroutine, detail::frame_ops<sleep_awaiter>::ops);
  if (refused == errc{}) [[likely]]
    return;
  const detail::engine_hold until_thrown(*core_);
  leave();
  detail::throw_schedule_error(*core_, refused, how.options != nullptr ? *how.options : timer_options());
}

void sleep_awaiter::settle() noexcept {
  base::show_release(&settled_);
  settled_.store(true, base::release);  // (1) release: pairs with (2). From here on the frame may be gone.
}

// It may run while await_suspend() is not done on another thread.
bool sleep_awaiter::is_ready(firing& run) noexcept {
  // (2) acquire: pairs with (1), so that the coroutine finds the handle and the hook.
  for (int i = 0; !settled_.load(base::acquire); ++i) {
    if (i < pauses_to_settle) {
      base::cpu_pause();
      continue;
    }
    if (core_->options.drive == drive_kind::caller) {
      run.rearm_at(run.deadline());  // not before the next poll(), even if that is much later
    } else {
      run.rearm_after(duration(settled_after));
    }
    return false;
  }
  base::show_acquire(&settled_);
  return true;
}

void sleep_awaiter::on_run() { base::coroutine_handle::from_address(coroutine_).resume(); }

void sleep_awaiter::on_end(bool guarded) {
  for (int i = 0; !settled_.load(base::acquire); ++i) {  // (2)
    // Called inside its own schedule call, which is being refused.
    if (starter_ == std::this_thread::get_id()) return;
    if (i < pauses_to_settle) {
      base::cpu_pause();
    } else {
      std::this_thread::sleep_for(duration(settled_after));
    }
  }
  base::show_acquire(&settled_);
  problem_ = why_ended();
  if (guarded) {
    resume_guarded(coroutine_);
  } else {
    on_run();
  }
}

// Called on the thread that resumes the coroutine.
void sleep_awaiter::leave() noexcept {
  coroutine_ = nullptr;
  core_->drop_reference();
}

void sleep_awaiter::fail() {
  const detail::engine_hold until_thrown(*core_);
  leave();
  throw_ended(problem_);
}

// The coroutine is being destroyed while it is suspended.
void sleep_awaiter::abandon() noexcept {
  disarm();
  core_->drop_reference();
}

}  // namespace detent
