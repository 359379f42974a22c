// SPDX-License-Identifier: MIT
#pragma once

#include "clock_watch.hpp"
#include "entry_pool.hpp"
#include "wall_clock.hpp"

#include <detent/base/atomic.hpp>
#include <detent/calendar_options.hpp>
#include <detent/engine.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace detent::detail {

// A calendar's state. Its timers keep it alive, because an `unfired_timer` may outlive the calendar.
class calendar_core : public std::enable_shared_from_this<calendar_core> {
 public:
  calendar_core(engine& of, const calendar_set_up& set_up);

  // Begins to watch the clock. Throws what clock_watch does.
  void start();
  // Cancels everything and waits, but only in the process that made it.
  void close() noexcept;

  timer add(wall_time at, const detent::schedule* when, std::unique_ptr<calendar_work> work,
            const calendar_options& options, const origin& where);
  std::size_t reload_zones();
  std::size_t set_virtual_clock(wall_time now);

  const wall_clock& clock() const noexcept { return clock_; }
  entry_pool& entries() noexcept { return entries_; }

  // Returns whether the clock was set back so far that schedules begin again.
  bool is_new_date(duration back) const noexcept {
    return back > std::max<duration>(set_up_.large_step, least_large_step);
  }
  // Called by the run of a timer.
  void count_missed(std::uint64_t more) noexcept { missed_.fetch_add(more, base::relaxed); }  // relaxed: a counter
  void report_end(const schedule_end& end) noexcept;
  std::uint64_t missed() const noexcept { return missed_.load(base::relaxed); }  // relaxed: a counter

 private:
  static constexpr duration least_large_step = std::chrono::hours(3);

  std::size_t after_step(duration by);
  template <class Move>
  std::size_t move_all(Move&& move);

  engine& engine_;
  const calendar_set_up set_up_;
  const pid_t process_;
  std::optional<clock_watch> watch_;  // empty for a virtual engine
  wall_clock clock_;
  entry_pool entries_;
  std::mutex moving_;  // held while all timers are moved
  std::uint64_t passes_ = 0;
  base::atomic<std::uint64_t> missed_{0};
};

}  // namespace detent::detail
