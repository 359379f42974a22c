// SPDX-License-Identifier: MIT
// How a sleeping coroutine meets its timer, the stop of somebody's token, and its own end.
#include <detent/coroutine.hpp>

#include <detent/base/limit.hpp>

#include "callers/cancel.hpp"

namespace detent {
namespace {

// A coroutine's run that comes before its timer is settled waits for so many pauses, which cover all but its thread's
// loss of the processor, and then comes again after a time in which that thread gets it back.
constexpr int pauses_to_settle = base::limit(64, 1);
constexpr std::int64_t settled_after = 1'000'000;

}  // namespace

// The timer's callable is a pointer to this, copied bit by bit and owning nothing: to fall asleep is the shortest
// schedule call.
void sleep_awaiter::suspend(void* frame) {
  settled_.store(false, base::relaxed);  // relaxed: published with the timer
  // A timer that stop() gave back has no self() and may outlive the frame: its run does nothing.
  auto run = [this](firing& now) {
    if (now.self()) wake(now);
  };
  timer_ = detail::schedule_once(core_, detail::to_ns(deadline_), run);
  if (!timer_) detail::throw_schedule_error(*core_, detail::timer_access::problem(timer_));
  frame_ = frame;
  core_->add_reference();  // the frame may outlive the engine
}

void sleep_awaiter::settle() noexcept {
  base::show_release(&settled_);
  settled_.store(true, base::release);  // (1) release: pairs with (2). From here on the frame may be gone.
}

// The timer's run. Perhaps while await_suspend() is not done on another thread.
void sleep_awaiter::wake(firing& run) {
  // (2) acquire: pairs with (1), so that the coroutine finds the handle and the hook.
  for (int i = 0; !settled_.load(base::acquire); ++i) {
    if (i < pauses_to_settle) {
      base::cpu_pause();
    } else if (core_->options.drive == drive_kind::caller) {
      return run.rearm_at(run.deadline());  // not before the next poll(), no matter what time it is by then
    } else {
      return run.rearm_after(duration(settled_after));
    }
  }
  base::show_acquire(&settled_);
  base::coroutine_handle::from_address(frame_).resume();  // the frame, and this, may be gone when it returns
}

// Due at once, by the tick that has begun. No effect where the run has started: the coroutine goes on in any case. Nor
// once the engine has stopped; and a manual clock may be gone then.
void sleep_awaiter::hurry() noexcept {
  if (core_->stopped()) return;
  const detail::nanoseconds_t tick = core_->options.tick.count();
  detail::restart(*core_, detail::timer_access::index(timer_), detail::timer_access::generation(timer_),
                  detail::subtract_saturated(core_->time.certain(), tick - 1));
}

// On the thread that resumes the coroutine.
void sleep_awaiter::leave() noexcept {
  frame_ = nullptr;
  core_->drop_reference();
}

// The coroutine is destroyed while it is suspended. Waits for a run that found it not settled yet, and reads it.
void sleep_awaiter::abandon() noexcept {
  detail::cancel_and_wait(*core_, detail::timer_access::index(timer_), detail::timer_access::generation(timer_));
  core_->drop_reference();
}

}  // namespace detent
