// SPDX-License-Identifier: MIT
// A walk beside a worker, as a program: moves of its threads, one after another, in a text of one line each.
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
  // Of the worker and the time
  work,     // the worker takes `steps`
  time,     // it is `at`, if it was earlier
  disturb,  // a spurious wake-up
  stop,     // the engine stops, wherever the worker is; nothing comes after that. With steps: calls are in their middle
  // Calls
  arm,      // timers `timer` to `timer + count - 1`: several by one call
  cancel,   // as many
  restart,  // one
  rearm,    // of a run alone: itself
  ask,      // pending() and deadline() of one
  list,     // list_pending()
  metrics,
  close,  // the engine
  pause,  // a group
  resume,
  cancel_group,
  end_group  // for ever
};

// A call, by a producer or inside a run.
struct call {
  verb what = verb::arm;
  std::uint32_t timer = 0, count = 1;
  ns at = 0;                           // since the beginning; of several: each `step` after the one before
  ns step = 0, slack = 0, period = 0;  // period: 0: it runs once
  unsigned lane = 0, group = 0;        // group: from 1; 0: none
  bool fixed_delay = false;            // period: of a fixed delay, else of a fixed rate
  unsigned missed = 0;                 // the number of a missed_ticks
  std::uint32_t runs = 0;              // of a periodic timer; 0: no end
  std::optional<ns> late = {};         // max_lateness, of one alone
  bool runs_stale = false;             // else it is dropped
  bool throws = false;                 // each of its runs does, at its end
  bool tagged = false;                 // timer_options::tag
  unsigned label = 0;                  // from 1; 0: none
  bool owns = false;                   // one alone: its callable has a destructor
  std::vector<call> inside = {};       // what a run of the first one does
};

struct move {
  call does;
  unsigned producer = 0;     // of a call: from 1
  std::uint64_t steps = 0;   // of the worker; of a call: before it is held in its middle, 0: to its end
  bool of_the_bell = false;  // of the worker's those at the doorbell count
};

struct program {
  ns begin = 0, reading_takes = 1, tick = 1, wake_budget = 0;
  unsigned wait = 1;  // busy, hybrid, sleep
  bool hashed = false;
  std::size_t capacity = 0;  // max_pending
  std::vector<move> moves;
};

program make_program(std::uint64_t seed);
std::string text_of(const program& walk);
// Throws std::runtime_error with the line that it cannot read.
program parse_program(const std::string& text);

}  // namespace detent::worker_walks
