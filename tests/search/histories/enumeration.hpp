// SPDX-License-Identifier: MIT
// All histories of a length over an alphabet of steps.
#pragma once

#include "search/histories/history.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace detent::history {

struct alphabet {
  std::vector<nanoseconds_t> delays;  // to schedule with, and to restart to
  std::vector<nanoseconds_t> steps;   // of the clock
};

// Each history of `length` steps: schedule and restart with each delay, cancel, advance by each step, poll(1). Cancel
// and restart name the first timer made or the last, where there is one.
class enumeration {
 public:
  static constexpr std::size_t longest = 6;

  enumeration(const alphabet& over, std::size_t length) : length_(length) {
    for (nanoseconds_t delay : over.delays) free_.push_back({.what = action::schedule, .by = delay});
    for (nanoseconds_t step : over.steps) free_.push_back({.what = action::advance, .by = step});
    free_.push_back({.what = action::poll, .by = 1});
    named_.push_back({.what = action::cancel});
    for (nanoseconds_t delay : over.delays) named_.push_back({.what = action::restart, .by = delay});
  }

  // visit(history) until it returns false. Says whether it always returned true.
  template <class Visit>
  bool each(Visit&& visit) {
    return from(0, 0, visit);
  }

 private:
  template <class Visit>
  bool from(std::size_t at, std::uint32_t timers, Visit& visit) {
    if (at == length_) return visit(std::span<const operation>(steps_.data(), length_));
    for (const operation& step : free_) {
      steps_[at] = step;
      if (!from(at + 1, timers + (step.what == action::schedule ? 1U : 0U), visit)) return false;
    }
    for (std::uint32_t which = 0; which<timers; which += timers> 1 ? timers - 1 : 1) {
      for (const operation& step : named_) {
        steps_[at] = step;
        steps_[at].target = which;
        if (!from(at + 1, timers, visit)) return false;
      }
    }
    return true;
  }

  std::size_t length_;
  std::vector<operation> free_, named_;
  std::array<operation, longest> steps_{};
};

}  // namespace detent::history
