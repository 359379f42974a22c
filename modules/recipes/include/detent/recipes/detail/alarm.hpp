// SPDX-License-Identifier: MIT
// The common part of the recipes that have a timer: any thread may arm, move and disarm it, over and over.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/detail/place.hpp>
#include <detent/engine.hpp>
#include <detent/error.hpp>
#include <detent/firing.hpp>
#include <detent/options.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>
#include <detent/timer_group.hpp>

#include <array>
#include <bit>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace detent::recipes::detail {

using detent::detail::place;

// The mutex decides every race between arming and firing: an arming before the run has the mutex replaces that run, a
// later one counts for the next. The mutex is never held while call() runs, so runs never overlap and call() may do
// anything. The timer's callable shares the alarm: a run that is late may find its owner gone.
//
// The callable's destructor tells the alarm that the timer has ended without its run: an executor or the engine's stop
// dropped it, its group was cancelled, or what stop() returned was thrown away. The alarm is idle then, and given_up()
// says whether the recipe ends with it.
class alarm : public std::enable_shared_from_this<alarm> {
 public:
  // Throws invalid_option.
  alarm(place on, const timer_options& options) : on_(std::move(on)), options_(options) { on_.check(options_); }
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;
  virtual ~alarm() = default;

  // Ends it for good. Waits for a run on another thread, but not inside its own run.
  void end() noexcept;
  // Does on this thread what is wanted, if anything is, and disarms. Waits for a run on another thread. Returns false
  // if nothing was wanted, or a run is under way on this very thread.
  bool run_now();

 protected:
  enum class state : std::uint8_t { idle, armed, running };

  // On the thread that arms or cancels under the mutex, the engine may destroy the callable, which then keeps quiet.
  class quiet {
   public:
    explicit quiet(alarm& of) noexcept : of_(of) {
      // relaxed: only this thread can find its own id there.
      of_.quiet_on_.store(std::this_thread::get_id(), base::relaxed);
    }
    quiet(const quiet&) = delete;
    quiet& operator=(const quiet&) = delete;
    ~quiet() { of_.quiet_on_.store({}, base::relaxed); }  // relaxed: only this thread can find its own id there

   private:
    alarm& of_;
  };
  bool is_quiet() const noexcept {
    return quiet_on_.load(base::relaxed) == std::this_thread::get_id();  // relaxed: as in quiet
  }

  // Called inside the run, under the mutex: returns whether call() is to be called. An arming in here takes effect
  // after the run.
  virtual bool due(time_point started) noexcept = 0;
  virtual void call() = 0;
  // Called under the mutex: returns whether run_now() has something to do.
  virtual bool wanted() const noexcept { return false; }
  // Called under the mutex when the timer has ended without its run. Returns whether that ends the recipe; after_end()
  // then reports it without the mutex.
  virtual bool given_up() noexcept { return false; }
  virtual void after_end() noexcept {}

  // Called without the mutex: moves an armed timer by restart_after() alone. If it returns false, it had no effect, and
  // the caller must try under the mutex.
  bool postpone(duration delay) noexcept { return !on_.stopped() && seen().restart_after(delay); }
  // Called without the mutex: returns whether a run will start by itself, which is false during a run.
  bool pending() const noexcept { return !on_.stopped() && seen().pending(); }

  // The rest is called under the mutex:
  state now_is() const noexcept { return state_; }
  // During a run, it arms for after the run. Throws what schedule_at() throws, and is then idle.
  void arm(time_point deadline) {
    if (move(deadline)) return;
    if (const timer made = take(deadline); !made) on_.refuse(made, options_);
  }
  // Does what arm() does, but returns false if the engine or the group has ended.
  bool arm_unless_stopped(time_point deadline) {
    if (move(deadline)) return true;
    const timer made = take(deadline);
    if (!made && made.error() != errc::stopped) on_.refuse(made, options_);
    return static_cast<bool>(made);
  }
  // Does what arm() does, but returns false instead of throwing.
  bool try_arm(time_point deadline) noexcept { return move(deadline) || take(deadline); }
  void arm_after_run(time_point deadline) noexcept { again_ = deadline; }
  void disarm() noexcept {
    again_.reset();
    if (state_ != state::armed) return;
    state_ = state::idle;
    const quiet here(*this);
    timer_.cancel();   // no effect if the engine has ended
    timer_.release();  // a run that has begun finds that the alarm is idle, or that its number is old
  }

  const place& on() const noexcept { return on_; }
  const timer_options& options() const noexcept { return options_; }
  static time_point sum(time_point start, duration delay) noexcept {
    return time_point(duration(detent::detail::add_saturated(start.time_since_epoch().count(), delay.count())));
  }
  time_point after(duration delay) const noexcept { return sum(on_.now(), delay); }
  std::mutex mutex_;

 private:
  // The timer's callable. Each arming has a number, because the run of an `unfired_timer` does not know its timer.
  class claim {
   public:
    claim(std::shared_ptr<alarm> of, std::uint64_t number) noexcept : of_(std::move(of)), number_(number) {}
    claim(claim&&) noexcept = default;
    claim& operator=(claim&&) = delete;
    ~claim() {
      if (of_ != nullptr) of_->lost(number_);
    }
    void operator()(firing& run) const { of_->run(run, number_); }

   private:
    std::shared_ptr<alarm> of_;  // null after it has moved
    std::uint64_t number_;
  };
  static_assert(fits_inline<claim>);

  timer seen() const noexcept;
  bool move(time_point deadline) noexcept;
  timer take(time_point deadline) noexcept;
  void begin_run() noexcept;
  void run(firing& run, std::uint64_t number);
  bool settle(firing* run) noexcept;
  void lost(std::uint64_t number) noexcept;

  // Works in its destructor, because call() may throw.
  struct end_of_run {
    alarm& of;
    firing* run;
    ~end_of_run() {
      if (of.settle(run)) of.after_end();
    }
  };

  const place on_;
  const timer_options options_;
  scoped_timer timer_;        // in the state `running`, the one that runs
  std::uint64_t number_ = 0;  // the number of the last arming
  std::optional<time_point> again_;
  state state_ = state::idle;
  bool ended_ = false;
  std::thread::id runner_;  // the thread that runs it in the state `running`
  std::condition_variable run_has_ended_;
  base::atomic<std::thread::id> quiet_on_{};
  // A copy of the timer's handle, to be read without the mutex.
  base::atomic<std::uint64_t> engine_word_{0};
  base::atomic<std::uint64_t> id_{0};
};

inline void alarm::end() noexcept {
  scoped_timer last;  // its end comes after the lock's
  const std::lock_guard lock(mutex_);
  ended_ = true;
  std::swap(last, timer_);
}

inline timer alarm::seen() const noexcept {
  // (1) acquire: pairs with (4), so that the id is one of a timer. (2) acquire: pairs with (3).
  const std::uint64_t engine_word = engine_word_.load(base::acquire);
  if (engine_word == 0) return {};
  return std::bit_cast<timer>(std::array{engine_word, id_.load(base::acquire)});
}

// Returns false if there is no timer to move; the alarm is then idle.
inline bool alarm::move(time_point deadline) noexcept {
  if (state_ == state::running) again_ = deadline;
  if (state_ == state::running || (state_ == state::armed && timer_.restart_at(deadline))) return true;
  disarm();
  return false;
}

// To be called while idle. Returns a new timer, and then the alarm is armed; or the refusal.
inline timer alarm::take(time_point deadline) noexcept {
  timer made;
  {
    const quiet here(*this);
    made = on_.try_schedule_at(deadline, claim{shared_from_this(), ++number_}, options_);
  }
  if (!made) return made;
  timer_.release();
  timer_ = scoped_timer(made);
  state_ = state::armed;
  // The first word is the same for one engine, so the two need not be read together.
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(made);
  id_.store(words[1], base::release);           // (3) release: pairs with (2)
  engine_word_.store(words[0], base::release);  // (4) release: pairs with (1)
  return made;
}

inline void alarm::begin_run() noexcept {
  state_ = state::running;
  runner_ = std::this_thread::get_id();
  again_.reset();
}

inline void alarm::run(firing& run, std::uint64_t number) {
  bool calls = false;
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || state_ != state::armed || number != number_) return;
    begin_run();
    calls = due(run.started());
  }
  const end_of_run last{*this, &run};
  if (calls) call();
}

inline bool alarm::run_now() {
  {
    std::unique_lock lock(mutex_);
    if (state_ == state::running && runner_ == std::this_thread::get_id()) return false;
    run_has_ended_.wait(lock, [this] { return state_ != state::running; });
    if (ended_ || !wanted()) return false;
    disarm();
    begin_run();
    due(on_.now());
  }
  const end_of_run last{*this, nullptr};
  call();
  return true;
}

// Called at the end of a run, or with null at the end of run_now(). An `unfired_timer` does not run again, so a new
// timer is asked for, as after run_now(). Returns true if that was refused and the recipe has ended.
inline bool alarm::settle(firing* run) noexcept {
  const std::lock_guard lock(mutex_);
  state_ = state::idle;
  bool over = false;
  if (again_ && !ended_) {
    if (run != nullptr && run->self()) {
      run->rearm_at(*again_);
      state_ = state::armed;
    } else if (!take(*again_)) {
      over = given_up();
    }
  }
  run_has_ended_.notify_all();
  return over;
}

inline void alarm::lost(std::uint64_t number) noexcept {
  if (is_quiet()) return;
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || state_ != state::armed || number != number_) return;
    state_ = state::idle;
    timer_.release();
    if (!given_up()) return;
  }
  after_end();
}

}  // namespace detent::recipes::detail
