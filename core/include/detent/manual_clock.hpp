// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include <concepts>
#include <cstddef>
#include <span>

namespace detent {

class engine;

// Virtual time, moved by hand. Any thread may read it while one moves it. Must outlive the engines that use it.
// advance() moves time and fires nothing: a poll() after it fires all that has come due, late. run_for() and
// run_until() stop at each deadline on the way.
class manual_clock {
 public:
  manual_clock() noexcept : manual_clock(time_point{}) {}
  explicit manual_clock(time_point start) noexcept : now_ns_(detail::to_ns(start)) {}
  manual_clock(const manual_clock&) = delete;
  manual_clock& operator=(const manual_clock&) = delete;

  time_point now() const noexcept {
    // (1) acquire: pairs with (2), so that a thread that sees a time also sees what was done before time moved there.
    return detail::to_time(now_ns_.load(base::acquire));
  }
  // Moves time forward by `step`. A negative step does nothing; duration::max() moves it to the end.
  void advance(detail::whole_duration step) noexcept {
    advance_to(detail::to_time(detail::add_saturated(detail::to_ns(now()), step.count())));
  }
  // Moves time to `target`, never backwards: an earlier time is ignored.
  void advance_to(detail::clock_time target) noexcept {
    // (2) release: pairs with (1)
    if (time_point(target) > now()) now_ns_.store(detail::to_ns(target), base::release);
  }

  // Moves time to `end`, and polls each engine at each of its deadlines on the way. Every callback sees now() at its
  // own deadline, rounded up to the tick, or at a time within its slack; a coroutine that sleeps goes on there.
  // Deadlines fire in order over all engines, equal ones in the order in which the engines are given. What callbacks
  // arm until `end` fires as well. Returns how many callbacks ran inside the call, as poll() does. At the end now() is
  // `end`. If `end` is time_point::max(), now() is the last deadline, so the call fires everything except members of
  // paused groups. An `end` that is past moves no time and fires what is due. Callbacks that an executor takes to other
  // threads may run later. The call does not return while a timer re-arms itself for its own instant. Without an end,
  // it also does not return while a periodic timer is left, or an executor refuses what is offered again.
  //
  // The engines have this clock as engine_options::manual, else errc::invalid_option, and outlive the call. Throws what
  // poll() throws: called_from_callback inside a callback of one of them. One thread at a time.
  std::size_t run_until(detail::clock_time end, std::span<engine* const> engines);
  std::size_t run_for(detail::whole_duration length, std::span<engine* const> engines);
  template <std::same_as<engine>... More>
  std::size_t run_until(detail::clock_time end, engine& first, More&... more) {
    engine* const all[] = {&first, &more...};
    return run_until(end, std::span<engine* const>(all));
  }
  template <std::same_as<engine>... More>
  std::size_t run_for(detail::whole_duration length, engine& first, More&... more) {
    engine* const all[] = {&first, &more...};
    return run_for(length, std::span<engine* const>(all));
  }

 private:
  base::atomic<detail::nanoseconds_t> now_ns_;
};

}  // namespace detent
