// SPDX-License-Identifier: MIT
// The common part of watchdog, debounce and throttle: one timer that any thread may arm, move and disarm, over and
// over.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/engine.hpp>
#include <detent/firing.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace detent::recipes::detail {

// The mutex decides every race between arming and firing: an arming before the run has the mutex replaces that run, a
// later one counts for the next. The mutex is never held while call() runs, so runs never overlap and call() may do
// anything. The timer's callable shares the alarm: a run that is late may find its owner gone.
class alarm : public std::enable_shared_from_this<alarm> {
 public:
  alarm(engine& on, const timer_options& options) noexcept : engine_(&on), options_(options) {}
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;
  virtual ~alarm() = default;

  // Ends it for good. Waits for a run on another thread, but not inside its own run.
  void end() noexcept {
    scoped_timer last;  // its end comes after the lock's
    const std::lock_guard lock(mutex_);
    ended_ = true;
    std::swap(last, timer_);
  }

 private:
  struct callable {
    std::shared_ptr<alarm> self;
    void operator()(firing& run) const { self->run(run); }
  };

 protected:
  enum class state : std::uint8_t { idle, armed, running };

  // Inside its run, under the mutex: whether call() is to be called. What it arms holds after the run.
  virtual bool due(time_point started) noexcept = 0;
  virtual void call() = 0;

  // Without the mutex: moves the timer if it is armed, by restart_after() alone. False: no effect, ask under the mutex.
  bool postpone(duration delay) noexcept { return seen().restart_after(delay); }
  // Without the mutex: whether a run will start by itself. Not so while one runs, nor if an executor dropped the timer.
  bool pending() const noexcept { return seen().pending(); }

  // The rest under the mutex.
  state now_is() const noexcept { return state_; }
  // While it runs: after the run. Throws what schedule_at() throws, and is idle then.
  void arm(time_point deadline) {
    if (!move(deadline)) take(engine_->schedule_at(deadline, callable{shared_from_this()}, options_));
  }
  // As arm(), but returns false instead of throwing.
  bool try_arm(time_point deadline) noexcept {
    return move(deadline) || take(engine_->try_schedule_at(deadline, callable{shared_from_this()}, options_));
  }
  void arm_after_run(time_point deadline) noexcept { again_ = deadline; }
  void disarm() noexcept {
    again_.reset();
    if (state_ != state::armed) return;
    state_ = state::idle;
    timer_.cancel();   // nothing where the engine has ended
    timer_.release();  // a run that has begun finds that it is not timer_
  }

  engine& on() const noexcept { return *engine_; }
  static time_point sum(time_point start, duration delay) noexcept {
    return time_point(duration(detent::detail::add_saturated(start.time_since_epoch().count(), delay.count())));
  }
  time_point after(duration delay) const noexcept { return sum(engine_->now(), delay); }
  std::mutex mutex_;

 private:
  timer seen() const noexcept {
    // (1) acquire: pairs with (4), so that the id is one of a timer. (2) acquire: pairs with (3).
    const std::uint64_t engine_word = engine_word_.load(base::acquire);
    if (engine_word == 0) return {};
    return std::bit_cast<timer>(std::array{engine_word, id_.load(base::acquire)});
  }

  // False: there is no timer to be moved, and it is idle.
  bool move(time_point deadline) noexcept {
    if (state_ == state::running) again_ = deadline;
    if (state_ == state::running || (state_ == state::armed && timer_.restart_at(deadline))) return true;
    disarm();
    return false;
  }
  bool take(timer made) noexcept {
    if (!made) return false;
    timer_.release();
    timer_ = scoped_timer(made);
    state_ = state::armed;
    // One engine, one first word: so the two need not be read together.
    const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(made);
    id_.store(words[1], base::release);           // (3) release: pairs with (2)
    engine_word_.store(words[0], base::release);  // (4) release: pairs with (1)
    return true;
  }

  void run(firing& run) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_ || run.self() != timer_.get()) return;
      state_ = state::running;
      again_.reset();
      if (!due(run.started())) return settle(run);
    }
    const end_of_run last{*this, run};  // also when it throws
    call();
  }
  void settle(firing& run) noexcept {
    state_ = again_ ? state::armed : state::idle;
    if (again_ && !ended_) run.rearm_at(*again_);
  }
  struct end_of_run {
    alarm& of;
    firing& run;
    ~end_of_run() {
      const std::lock_guard lock(of.mutex_);
      of.settle(run);
    }
  };

  engine* const engine_;
  const timer_options options_;
  scoped_timer timer_;  // of the state `running`: the one that runs
  std::optional<time_point> again_;
  state state_ = state::idle;
  bool ended_ = false;
  // A copy of the timer's handle, to be read without the mutex.
  base::atomic<std::uint64_t> engine_word_{0};
  base::atomic<std::uint64_t> id_{0};
};

}  // namespace detent::recipes::detail
