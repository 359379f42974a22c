// SPDX-License-Identifier: MIT
// A history: what is done to timers, step by step, on which wheel and from what time; and its text.
#pragma once

#include <detent/options.hpp>
#include <detent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace detent::history {

using detail::nanoseconds_t;

enum class action : std::uint8_t {
  schedule,  // s5   a timer, 5 ns from now
  cancel,    // c0   the timer made first
  restart,   // r0:5 the timer made first, to 5 ns from now: earlier than it was, later, or the same
  advance,   // a5   the clock, and nothing else
  poll,      // p1   at most one callback; p: all
  ask        // n    the next deadline
};
inline constexpr std::size_t kinds_of_action = 6;
inline constexpr nanoseconds_t all = INT64_MAX;

// The timer that cancel and restart name is `target` modulo the timers made so far; with none they do nothing.
struct operation {
  action what = action::schedule;
  std::uint32_t target = 0;
  nanoseconds_t by = 0;  // the delay, the step, or the most callbacks
};

struct setting {
  wheel_kind wheel = wheel_kind::hierarchical;
  nanoseconds_t tick = 1;
  std::size_t slots = 512;  // of the hashed wheel
  nanoseconds_t start = 0;
};

// One run of a callback.
struct run {
  int id;
  nanoseconds_t deadline;
};

std::string text(const operation& step);
// "hashed tick=1 slots=512 start=0: s5 a5 p1"
std::string text(const setting& where, std::span<const operation> steps);

}  // namespace detent::history
