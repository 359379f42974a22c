// SPDX-License-Identifier: MIT
// Two threads that meet at one place: one is held before an operation of its call, the test's own makes other calls to
// their ends, and the first goes on. For each operation in turn, on the engine's own sources and in virtual time.
#pragma once

#include <detent/detent.hpp>
#include <search/meetings/hooks.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "support/engine_captures.hpp"
#include "support/engine_executors.hpp"
#include "support/joined_thread.hpp"

namespace hooks {

using namespace std::chrono_literals;

inline constexpr detent::time_point noon{12h};

// A caller's engine at noon, and an event loop that polls when its descriptor says so, or when the time has come that
// it was given last: a test that asks for no poll gets none.
class scene {
 public:
  explicit scene(bool hands_over = false, detent::engine_options options = {});

  // A callable that counts its runs, and its own end.
  auto note() {
    return [this, here = captures.join()] { ++runs; };
  }
  void look();
  // Polls for as long as it is asked to.
  void settle();
  void run_to(detent::time_point until);
  // So many runs by then, and none since the last poll.
  void expect_runs_at(detent::time_point due, int count = 1);
  // Nothing is pending, every end is counted, and every capture and node has been given back.
  void expect_at_rest();
  void expect_balance() const;
  // One that the executor was given.
  detent::fired_timer take();

  detent::testing::census captures;
  std::atomic<int> runs{0};
  detent::manual_clock clock{noon};
  std::shared_ptr<detent::testing::holding_executor> executor;  // null: what is due runs inside poll()
  bool keeps = false;                                           // look() leaves to the executor what it was given
  detent::engine engine;
  std::optional<detent::timer_group> group{engine};
  detent::timer gone = engine.schedule_after(1h, [] {});

 private:
  bool is_called() const;

  int wake_fd_;
  std::optional<detent::time_point> next_;
};

// The meeting at the operation number `n`.
class meeting {
 public:
  meeting(std::uint64_t n, among which) : n_(n), which_(which) { begin_holding(); }
  ~meeting() { go_on(); }
  meeting(const meeting&) = delete;
  meeting& operator=(const meeting&) = delete;

  // Has another thread make `call`; returns when it is held, or has come to the end.
  template <class Call>
  void hold(scene& in, Call call) {
    begin([this, &in, call = std::move(call)]() mutable {
      in.gone.cancel_and_wait();
      in.gone.restart_at(noon);  // its thread has a record from here on
      from_here();
      call();
      hold_never();
    });
  }
  // Does the same; `call` says by from_here() where it may first be held.
  template <class Call>
  void hold_inside(Call call) {
    begin([call = std::move(call)]() mutable {
      call();
      hold_never();
    });
  }
  void from_here() const { hold_at(n_, which_); }
  // Does the same for the end of the thread itself, from the end of `call` on.
  template <class Call>
  void hold_at_its_end(Call call) {
    begin([this, call = std::move(call)]() mutable {
      tell_at_the_end();
      call();
      from_here();
    });
  }
  bool held() const { return place_.has_value(); }
  // The other thread comes to its end.
  void go_on();
  const std::optional<parked_place>& place() const { return place_; }

 private:
  template <class Whole>
  void begin(Whole whole) {
    thread_.emplace(std::move(whole));
    place_ = wait_held();
  }
  static void tell_at_the_end();

  std::uint64_t n_;
  among which_;
  std::optional<parked_place> place_;
  std::optional<detent::testing::joined_thread> thread_;
};

// More operations than a call has that waits for none.
constexpr std::uint64_t longer_than_any_call = 4000;

// While one lives, this thread waits for the one that is held by letting it go on.
struct waits_for_it {
  waits_for_it() { let_go_on_after(longer_than_any_call); }
  ~waits_for_it() { let_go_on_never(); }
  waits_for_it(const waits_for_it&) = delete;
  waits_for_it& operator=(const waits_for_it&) = delete;
};

// A member that was handed over, on the executor's thread; armed again by its run, or not.
struct member_handed_over : scene {
  member_handed_over(meeting& at, bool again, bool inside) : scene(true) {
    keeps = true;
    group->schedule_after(0ms, [this, &at, again, inside, here = captures.join()](detent::firing& now) {
      if (closed) ++late;
      ++runs;
      if (again) now.rearm_after(1ms);
      if (inside) at.from_here();
    });
    settle();
    work.emplace(take());
    keeps = false;
  }
  std::atomic<bool> closed{false};
  std::atomic<int> late{0};
  std::optional<detent::fired_timer> work;
};

// For n = 0, 1, 2, ... until the call of trial(meeting&) comes to its end before it is held. It has `least` operations,
// of those that count.
void tell_of(std::uint64_t operations);
std::string describe(const meeting& at, std::uint64_t n);
template <class Trial>
void meet(std::uint64_t least, Trial trial, among which = {}) {
  constexpr std::uint64_t most = 2000;
  for (std::uint64_t n = 0; n < most; ++n) {
    meeting at(n, which);
    trial(at);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << describe(at, n);
      return;
    }
    if (at.held()) continue;
    tell_of(n);
    EXPECT_GE(n, least);
    return;
  }
  ADD_FAILURE() << "no end after " << most << " operations";
}

}  // namespace hooks
