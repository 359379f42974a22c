// SPDX-License-Identifier: MIT
// The engine beside the specification: each step is done to both, and what they report must agree, to the end of the
// last timer.
#pragma once

#include "limits.hpp"

#include "search/histories/engine_world.hpp"
#include "spec/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace detent::history {

// Says how a history is checked while it runs, and when it is over.
struct manner {
  bool asks = false;  // for the next deadline, after each step
  // At the end the clock goes on by at most this, counted from the start, so that the timers that are left can fire.
  // Those that are due later are cancelled.
  nanoseconds_t drained_within = spec::end_of_time;
};

class contest {
 public:
  contest(engine_world& real, const setting& where) : real_(real), tick_(where.tick) {}

  // Returns whether the world did at each step what is specified, and nothing is left.
  bool agree(nanoseconds_t start, std::span<const operation> steps, manner how);
  // The step at which it did not, what it reported, and the rule that it broke.
  const std::string& difference() const { return difference_; }
  // Gets each step and what the world reported.
  void trace(std::string& to) { trace_ = &to; }

 private:
  // Returns the report of the step: a count, a truth value, or a time.
  nanoseconds_t perform(const operation& what);
  std::size_t poll(nanoseconds_t most);
  nanoseconds_t ask();
  bool step(const operation& what);
  bool drain(nanoseconds_t until);
  std::string reported(nanoseconds_t value);
  nanoseconds_t behind_now(nanoseconds_t by) const { return spec::plus(expected_->now(), by); }

  engine_world& real_;
  const nanoseconds_t tick_;
  std::optional<spec::engine> expected_;
  std::uint32_t made_ = 0;  // timers
  std::string difference_;
  std::string* trace_ = nullptr;
};

inline bool contest::agree(nanoseconds_t start, std::span<const operation> steps, manner how) {
  real_.begin(start);
  expected_.emplace(spec::settings{.tick = tick_, .start = start});
  made_ = 0;
  for (const operation& each : steps) {
    if (!step(each)) return false;
    if (how.asks && each.what != action::ask && !step({.what = action::ask})) return false;
  }
  return drain(spec::plus(start, how.drained_within));
}

inline bool contest::step(const operation& what) {
  real_.fired.clear();
  const nanoseconds_t value = perform(what);
  expected_->broke.require(real_.pending() == expected_->pending(), "how many are pending",
                           [this] { return "it should be " + std::to_string(expected_->pending()); });
  if (trace_ != nullptr) *trace_ += text(what) + "\n  reported: " + reported(value) + "\n";
  if (expected_->broke.kept()) return true;
  difference_ =
      "at '" + text(what) + "' it reported " + reported(value) + ", against a rule: " + expected_->broke.broken();
  return false;
}

inline nanoseconds_t contest::perform(const operation& what) {
  const bool names_a_timer = what.what == action::cancel || what.what == action::restart;
  if (names_a_timer && made_ == 0) return -1;
  const std::uint32_t target = names_a_timer ? what.target % made_ : 0;
  switch (what.what) {
    case action::cancel: {
      const bool expected = expected_->cancel(target + 1) == cancel_result::cancelled, came = real_.cancel(target);
      expected_->broke.require(came == expected, "cancel()");
      return came ? 1 : 0;
    }
    case action::restart: {
      const bool expected = expected_->restart(target + 1, behind_now(what.by), 0);
      const bool came = real_.restart(target, what.by);
      expected_->broke.require(came == expected, "restart()");
      return came ? 1 : 0;
    }
    case action::advance:
      expected_->move_to(behind_now(what.by));
      real_.advance(what.by);
      expected_->broke.require(real_.now() == expected_->now(), "the clock");
      return real_.now();
    case action::poll: return static_cast<nanoseconds_t>(poll(what.by));
    case action::ask: return ask();
    default:
      expected_->schedule({.when = behind_now(what.by)}, 0);
      ++made_;
      real_.schedule(what.by);
      return 0;
  }
}

// Callbacks do nothing but log, so it makes no difference that the specification hears of their
// runs after the poll: a timer runs at most once in a poll.
inline std::size_t contest::poll(nanoseconds_t most) {
  const nanoseconds_t now = expected_->now();
  expected_->begin_pass({.how = spec::drive::poll, .now = now, .most = static_cast<std::size_t>(most)});
  const std::size_t ran = real_.poll(most);
  for (const run& each : real_.fired) {
    const auto id = static_cast<spec::timer_id>(each.id + 1);
    expected_->begin_run(id, 0, {.deadline = each.deadline, .lateness = spec::minus(now, each.deadline)});
    expected_->end_run(id, 0, false);
  }
  expected_->end_pass(ran);
  return ran;
}

inline nanoseconds_t contest::ask() {
  const std::optional<nanoseconds_t> expected = expected_->next_deadline(), came = real_.next();
  // Beyond so many looks a wheel may report a time before the next deadline, never one after it. It looks twice at a
  // timer that was restarted: where it was, and where it has to be.
  const bool bound = 2 * expected_->pending() > std::size_t{detail::limits::exact_looks};
  expected_->broke.require(bound ? came && *came <= *expected : came == expected, "next_deadline()",
                           [&] { return "it should be " + std::to_string(expected.value_or(-1)); });
  return came.value_or(-1);
}

// Just before each deadline nothing fires; at it, what is due. What is due after `until` is cancelled in the end.
inline bool contest::drain(nanoseconds_t until) {
  const auto goes_to = [this](nanoseconds_t when) {
    return when <= expected_->now() || step({.what = action::advance, .by = when - expected_->now()});
  };
  for (int turns = 0; turns < 64 && expected_->next_deadline(); ++turns) {
    const nanoseconds_t next = *expected_->next_deadline();
    if (next > until) break;
    if (next > expected_->now() && next - 1 > expected_->now()) {
      if (!goes_to(next - 1) || !step({.what = action::poll, .by = all})) return false;
    }
    if (!goes_to(next) || !step({.what = action::poll, .by = all})) return false;
  }
  for (std::uint32_t id = 0; id < made_ && expected_->pending() != 0; ++id) {
    if (!step({.what = action::cancel, .target = id})) return false;
  }
  return step({.what = action::ask}) && step({.what = action::poll, .by = all});
}

inline std::string contest::reported(nanoseconds_t value) {
  std::string text = std::to_string(value);
  for (const run& each : real_.fired) {
    text += " [timer " + std::to_string(each.id) + " for " + std::to_string(each.deadline) + "]";
  }
  return text + ", pending " + std::to_string(real_.pending());
}

}  // namespace detent::history
