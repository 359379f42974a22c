// SPDX-License-Identifier: MIT
// Producers on an engine: they keep a number of timers live, and replace one after the other.
#pragma once

#include <detent/detent.hpp>

#include <chrono>
#include <cstdint>
#include <future>

#include "line_memory.hpp"
#include "random.hpp"
#include "victim.hpp"

namespace detent::bench {

// The deadline that the engine waits for in the meantime. Timers that are due after it cause no wake-up.
inline constexpr duration far_delay = std::chrono::hours(1);
// The delays of the measured timers: an hour and one to 5.3 seconds.
inline duration measured_delay(cheap_random& random) noexcept {
  return far_delay + std::chrono::seconds(1) + duration(random.next());
}

// Waits until the worker has drained all submissions of this thread. A thread's entries are drained in order, and the
// last of them is due at once.
inline void settle(engine& engine) {
  std::promise<void> drained;
  engine.schedule_after(duration(0), [&drained] { drained.set_value(); });
  drained.get_future().wait();
}

// An engine with one far timer pending.
struct engine_at_work {
  detent::engine engine;
  timer far = engine.schedule_after(far_delay, [] {});
};

// `schedule(random)` makes a timer. The destructor cancels the live ones. The handles lie on huge pages, so that a
// random choice costs a cache miss but no miss of the page table.
template <class Schedule>
class live_timers {
 public:
  live_timers(std::int64_t size, std::uint64_t seed, Schedule schedule)
      : random_(seed), schedule_(schedule), size_(static_cast<std::size_t>(size)), timers_(size_) {
    for (std::size_t i = 0; i < size_; ++i) timers_[i] = schedule_(random_);
  }
  live_timers(const live_timers&) = delete;
  live_timers& operator=(const live_timers&) = delete;
  ~live_timers() {
    for (std::size_t i = 0; i < size_; ++i) timers_[i].cancel();
  }

  timer& oldest() noexcept {
    timer& found = timers_[oldest_];
    if (++oldest_ == size_) oldest_ = 0;
    return found;
  }
  timer& any() noexcept { return timers_[random_.below(size_)]; }
  timer& choose(victim which) noexcept { return which == victim::oldest ? oldest() : any(); }
  void replace(timer& old) {
    old.cancel();
    old = schedule_(random_);
  }
  cheap_random& random() noexcept { return random_; }

 private:
  cheap_random random_;
  Schedule schedule_;
  std::size_t size_;
  line_memory<timer> timers_;
  std::size_t oldest_ = 0;
};

// The producer counts deadlines from one reading of the clock.
class schedule_at_counted {
 public:
  explicit schedule_at_counted(engine& engine) : engine_(&engine), base_(engine.now()) {}
  timer operator()(cheap_random& random) const {
    return engine_->schedule_at(base_ + measured_delay(random), [] {});
  }

 private:
  engine* engine_;
  time_point base_;
};

// The engine counts deadlines and reads the clock for each.
class schedule_after_now {
 public:
  explicit schedule_after_now(engine& engine) : engine_(&engine) {}
  timer operator()(cheap_random& random) const {
    return engine_->schedule_after(measured_delay(random), [] {});
  }

 private:
  engine* engine_;
};

}  // namespace detent::bench
