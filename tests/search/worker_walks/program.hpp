// SPDX-License-Identifier: MIT
// A walk beside a worker as a program: the moves of its threads, one after another. Its text has one line for each
// move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace detent::worker_walks {

using ns = std::int64_t;
inline constexpr unsigned producers = 3, groups = 2, labels = 2;

enum class verb : std::uint8_t {
  // These move the worker and the clock.
  work,     // the worker takes `steps`
  time,     // the clock goes to `at`, unless it is later already
  disturb,  // the worker wakes up without a reason
  mood,     // from now on the executor treats timers by the mood of number `steps`
  stop,     // the engine stops, wherever the worker is. It is the last move; if it has steps, calls may be under way
  drain,    // the engine stops by drain_for(at). The moves that follow come during that call
  // These are calls.
  arm,      // schedules the timers `timer` to `timer + count - 1`, several of them by one call
  cancel,   // cancels as many
  restart,  // restarts one timer
  rearm,    // re-arms the timer in whose run it stands
  ask,      // asks for pending() and deadline() of one timer
  list,     // list_pending()
  metrics,
  close,      // closes the engine
  hand_back,  // calls what the executor holds
  let_go,     // destroys that uncalled
  pause,      // pauses a group
  resume,
  cancel_group,
  end_group  // destroys a group
};

// A call, by a producer or inside a run.
struct call {
  verb what = verb::arm;
  std::uint32_t timer = 0, count = 1;
  ns at = 0;                           // since the beginning; of several timers, each is `step` after the one before
  ns step = 0, slack = 0, period = 0;  // a timer without a period runs once
  unsigned lane = 0, group = 0;        // groups are numbered from 1 on, and 0 is none
  bool fixed_delay = false;            // the period is a fixed delay, and not a fixed rate
  unsigned missed = 0;                 // the number of a missed_ticks
  std::uint32_t runs = 0;              // how often a periodic timer runs; 0 for no end
  std::optional<ns> late = {};         // max_lateness, if the call arms one timer
  bool runs_stale = false;             // a stale timer runs, and is not dropped
  bool throws = false;                 // each run throws at its end
  bool tagged = false;                 // the timer has a tag
  unsigned label = 0;                  // labels are numbered from 1 on, and 0 is none
  bool owns = false;                   // its callable has a destructor, if the call arms one timer
  std::vector<call> inside = {};       // the calls in a run of the first timer
};

struct move {
  call does;
  unsigned producer = 0;     // which thread makes the call, from 1 on
  std::uint64_t steps = 0;   // how many the worker takes, or a call takes before it is held; a call with 0 is not held
  bool of_the_bell = false;  // only the worker's steps at the doorbell count
};

// How an executor treats a timer that it is offered. If it is `mixed`, it goes through the others in turn.
enum class mood : std::uint8_t { runs, holds, refuses, drops, mixed };
inline constexpr unsigned moods = 5;

struct program {
  ns begin = 0, reading_takes = 1, tick = 1, wake_budget = 0;
  unsigned wait = 1;  // 0 to 2 for busy, hybrid, sleep
  bool hashed = false;
  std::size_t capacity = 0;  // max_pending
  unsigned executor = 0;     // 0 for none, or one more than the number of the refusal_policy
  bool orders = false;       // executor::keeps_order()
  std::vector<move> moves;
};

program make_program(std::uint64_t seed);
std::string text_of(const program& walk);
// Throws std::runtime_error with the line that it cannot read.
program parse_program(const std::string& text);

}  // namespace detent::worker_walks
