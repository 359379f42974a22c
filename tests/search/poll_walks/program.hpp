// SPDX-License-Identifier: MIT
// A walk as a program: what is done to an engine, step by step, and inside which callbacks; and its text, from which it
// can be repeated. Timers have names, which are numbers, so any part of a program is a program: an operation on a timer
// that was never made does nothing.
//
//   engine tick=7 capacity=20 executors=1
//   schedule 3 +100 lane=2 { restart 1 +5; rearm +7 }   a timer, due 100 ns from now; what its callback does
//   schedule 4*64 +700                                  64 timers, named 4 to 67, one after the other
//   bulk 70*20 +5 step=3                                the same by schedule_at_bulk(), 3 ns apart
//   rate 90 +10 period=7 runs=3 missed=burst            at a fixed rate; `delay` with a fixed delay
//   sleep 91 +50 group=1 token=2 { poll }               a coroutine, and what it does when it goes on
//   ticks 92 period=7 runs=3                            a coroutine that waits for the points of an interval
//   restart 4*63 =3+20                                  63 timers, to 20 ns after the deadline of timer 3
//   poll 3                                              at most three callbacks; `poll`: all
//   run +500 on=1 among=2                               run_for() over engines 1 and 2; `run @900`: run_until()
//
// `engines=3` makes three engines of one clock, and `set` makes them the shards of a sharded_engine. `on` names one,
// and `all` stands for all of them. `after` takes the call with a delay, such as schedule_after(), and `wait` the one
// that waits, such as cancel_and_wait().
#pragma once

#include "spec/engine.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace detent::poll_walks {

using spec::nanoseconds_t;

enum class action : std::uint8_t {
  // These make timers.
  schedule,
  rate,
  delay,
  bulk,
  sleep,  // a coroutine
  ticks,  // a coroutine on an interval
  // These are done to timers by name.
  cancel,
  cancel_bulk,
  restart,
  ask,      // pending(), deadline(), remaining()
  destroy,  // a coroutine that sleeps
  // These are done to groups 1 to 3.
  pause,
  resume,
  cancel_all,
  end,  // and another group takes its place
  // These move time, or drive.
  advance,
  reach,  // by a deadline
  poll,
  run,  // run_until(), over one engine or several
  next,
  // These ask, and end.
  list,
  metrics,
  move,  // the engine goes to another object
  close,
  stop,   // and half of what it returns is run
  drain,  // drain_for(), which is refused
  // These are about executors.
  executor,  // the next hand-overs are: 0 run at once, 1 held, 2 refused, 3 each in turn
  run_held,
  drop_held,
  ask_to_stop,  // sleeps with that stop token, 1 or 2
  // Only inside callbacks.
  rearm,
  raise  // the callback throws
};

// A time, at the moment when it is asked for.
struct moment {
  enum class base : std::uint8_t { now, zero, timer } from = base::now;
  std::uint32_t name = 0;  // of the timer whose deadline it is
  nanoseconds_t by = 0;
  bool operator==(const moment&) const = default;
};

struct operation {
  action what = action::poll;
  std::uint32_t name = 0, count = 1;  // of timers; `name` of a group or an executor
  moment when = {};
  nanoseconds_t step = 0;    // from one to the next of several
  nanoseconds_t number = 0;  // by how much time goes on, how many callbacks, how an executor takes what it is offered
  spec::plan asked = {};     // its options
  unsigned thread = 0;       // which of three does it
  bool plain = false;        // its callable is three words without a destructor
  unsigned on = 0;           // the engine
  unsigned token = 0;        // a sleep's stop token, 1 or 2; 0 for none
  unsigned among = 0;        // how many engines run_until() drives, from that one on; 0 for all
  bool all = false;          // done to all engines, and to a set as a whole
  bool after = false, wait = false;
  std::vector<operation> inside = {};
};

struct setting {
  wheel_kind wheel = wheel_kind::hierarchical;
  std::size_t slots = 512;
  nanoseconds_t tick = 1, start = 0;
  std::size_t capacity = 0, reserve = 0;
  unsigned executors = 0;
  bool own_executor = false;  // the first of them is the engine's own
  bool keeps_order = false;
  bool origin = false;
  bool fd = false;  // wake_fd() is open
  unsigned labels = 0;
  unsigned engines = 1;
  bool set = false;
  refusal_policy refusal = refusal_policy::run_inline;
};

struct program {
  setting made_with;
  std::vector<operation> steps;
};

std::string text(const program& of);
// Throws std::invalid_argument, which names the word.
program parse(const std::string& text);

// Counts the operations, and those inside callbacks.
std::size_t size(const std::vector<operation>& steps);

}  // namespace detent::poll_walks
