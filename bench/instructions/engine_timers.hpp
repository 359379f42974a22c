// SPDX-License-Identifier: MIT
// An engine in virtual time with room for `live` timers, warm: every node and every block of its queue has had a life.
#pragma once

#include "count.hpp"

#include <detent/detent.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent::instructions {

// Deadlines are 10 ns apart, beginning here.
inline constexpr time_point first_deadline{std::chrono::seconds(1)};
inline constexpr time_point deadline_of_turn(std::size_t i, duration later = {}) {
  return first_deadline + later + static_cast<duration::rep>(i) * duration(10);
}

// A callable that fills a node.
struct callback {
  std::uint64_t* fired;
  std::uint64_t more[2];
  void operator()() const { ++*fired; }
};

class engine_timers {
 public:
  engine_timers() : engine_({.drive = drive_kind::caller, .manual = &time_}), timers_(live) {
    schedule_all();
    cancel_all();
    engine_.poll();
  }

  detent::engine& engine() { return engine_; }
  manual_clock& time() { return time_; }
  std::span<timer> timers() { return timers_; }
  callback counting() { return {&fired_, {1, 2}}; }
  std::uint64_t fired() const { return fired_; }

  void schedule_all() {
    for (std::size_t i = 0; i < live; ++i) timers_[i] = engine_.schedule_at(deadline_of_turn(i), counting());
  }
  void cancel_all() {
    auto cancelled = std::count_if(timers_.begin(), timers_.end(),
                                   [](timer& each) { return each.cancel() == cancel_result::cancelled; });
    require(cancelled == live, "engine_timers", "not all were cancelled");
  }

 private:
  manual_clock time_;
  detent::engine engine_;
  std::vector<timer> timers_;
  std::uint64_t fired_ = 0;
};

}  // namespace detent::instructions
