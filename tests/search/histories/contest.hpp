// SPDX-License-Identifier: MIT
// A world beside the oracle: each step is done to both, and what they report must agree, to the end of the last timer.
#pragma once

#include "limits.hpp"
#include "timer/tick_grid.hpp"

#include "search/histories/history.hpp"
#include "search/histories/oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace detent::history {

// What one step reported: a count, a truth, or a time.
template <class World>
nanoseconds_t perform(World& world, const operation& step) {
  const bool names_a_timer = step.what == action::cancel || step.what == action::restart;
  if (names_a_timer && world.made() == 0) return -1;
  switch (step.what) {
    case action::cancel: return world.cancel(step.target % world.made()) ? 1 : 0;
    case action::restart: return world.restart(step.target % world.made(), step.by) ? 1 : 0;
    case action::advance: return world.advance(step.by), world.now();
    case action::poll: return static_cast<nanoseconds_t>(world.poll(step.by));
    case action::ask: return world.next().value_or(-1);
    default: return world.schedule(step), 0;
  }
}

// How a history is checked while it runs, and when it is over.
struct manner {
  bool asks = false;  // for the next deadline, after each step
  // How far after the start the clock may go to see what is left fire; what is due later is cancelled.
  nanoseconds_t drained_within = detail::forever;
};

template <class World>
class contest {
 public:
  contest(World& real, oracle& expected) : real_(real), expected_(expected) {}

  // True: both reported the same at each step, and nothing is left.
  bool agree(nanoseconds_t start, std::span<const operation> steps, manner how);
  // The step at which they differed, and what each reported.
  const std::string& difference() const { return difference_; }
  // Gets each step and what the two reported.
  void trace(std::string& to) { trace_ = &to; }

 private:
  bool step(const operation& what);
  bool drain(nanoseconds_t until);
  template <class Each>
  static std::string reported(Each& world, nanoseconds_t value);

  World& real_;
  oracle& expected_;
  std::string difference_;
  std::string* trace_ = nullptr;
};

template <class World>
bool contest<World>::agree(nanoseconds_t start, std::span<const operation> steps, manner how) {
  real_.begin(start);
  expected_.begin(start);
  for (const operation& each : steps) {
    if (!step(each)) return false;
    if (how.asks && each.what != action::ask && !step({.what = action::ask})) return false;
  }
  return drain(detail::add_saturated(start, how.drained_within));
}

template <class World>
bool contest<World>::step(const operation& what) {
  real_.fired.clear();
  expected_.fired.clear();
  const nanoseconds_t real = perform(real_, what), expected = perform(expected_, what);
  // Beyond so many timers a wheel may report a time before the next deadline, never one after it.
  const bool bound = what.what == action::ask && expected_.pending() > std::size_t{detail::limits::exact_looks};
  const bool same = (bound ? real <= expected : real == expected) && real_.fired == expected_.fired &&
                    real_.pending() == expected_.pending();
  if (trace_ != nullptr)
    *trace_ +=
        text(what) + "\n  reported: " + reported(real_, real) + "\n  expected: " + reported(expected_, expected) + "\n";
  if (!same)
    difference_ = "at '" + text(what) + "' it reported " + reported(real_, real) + ", where the multimap reported " +
                  reported(expected_, expected);
  return same;
}

// Just before each deadline nothing fires; at it, what is due. A timer that always runs again is cancelled in the end.
template <class World>
bool contest<World>::drain(nanoseconds_t until) {
  for (int turns = 0; turns < 64 && expected_.next(); ++turns) {
    const nanoseconds_t next = *expected_.next();
    if (next > until) break;
    if (next > expected_.now() && next - 1 > expected_.now()) {
      const bool quiet =
          step({.what = action::advance, .by = next - 1 - expected_.now()}) && step({action::poll, 0, all});
      if (!quiet) return false;
    }
    if (next > expected_.now() && !step({.what = action::advance, .by = next - expected_.now()})) return false;
    if (!step({.what = action::poll, .by = all})) return false;
  }
  for (std::uint32_t id = 0; id < expected_.made() && expected_.pending() != 0; ++id) {
    if (!step({.what = action::cancel, .target = id})) return false;
  }
  return step({.what = action::ask}) && step({.what = action::poll, .by = all});
}

template <class World>
template <class Each>
std::string contest<World>::reported(Each& world, nanoseconds_t value) {
  std::string text = std::to_string(value);
  for (const run& each : world.fired) {
    text += " [timer " + std::to_string(each.id) + " for " + std::to_string(each.deadline);
    text += each.missed == 0 ? "]" : ", missed " + std::to_string(each.missed) + "]";
  }
  return text + ", pending " + std::to_string(world.pending());
}

}  // namespace detent::history
