// SPDX-License-Identifier: MIT
// Every option of an engine and of a timer, with its default. The engine's constructor checks them all and names the
// one that is impossible.
#pragma once

#include <detent/alloc/memory_options.hpp>
#include <detent/executor.hpp>
#include <detent/label.hpp>
#include <detent/manual_clock.hpp>
#include <detent/time.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace detent {

enum class wheel_kind : std::uint8_t { hierarchical, hashed };
enum class drive_kind : std::uint8_t {
  worker,  // a thread of the engine's own
  caller   // whoever calls poll()
};
enum class clock_kind : std::uint8_t { steady, tsc };
enum class refusal_policy : std::uint8_t {
  run_inline,  // on the worker
  retry,       // at the next wake-up, at most 1 ms later, in order, for ever
  drop         // counted
};
enum class missed_ticks : std::uint8_t {
  skip,   // one run stands for the latest due period; missed() counts the rest
  burst,  // all of them, back to back
  delay   // the next period counts from now
};
enum class stale_policy : std::uint8_t { drop, run };

// How the worker waits for the next deadline.
struct wait_options {
  enum class kind : std::uint8_t { busy, hybrid, sleep };

  // Spins on the clock: the least lateness, one whole CPU.
  static wait_options busy() { return {kind::busy, (duration::max)()}; }
  // Sleeps, and spins for the last stretch. The stretch calibrates itself from the oversleep seen, so that one sleep in
  // twenty is longer, or one in 200 if more than 200 us are allowed; at most this long, and where the tick is a
  // millisecond or more, at most a 64th of it.
  static wait_options hybrid(duration max_spin = std::chrono::microseconds(200)) { return {kind::hybrid, max_spin}; }
  // Sleeps only: as late as the kernel wakes.
  static wait_options sleep() { return {kind::sleep, duration(0)}; }

  kind mode = kind::hybrid;
  duration max_spin = std::chrono::microseconds(200);
};

struct slow_callback {
  detent::label label;
  duration took;
  time_point deadline;
  const char* file;  // of the schedule call; null unless capture_origin
  std::uint32_t line;
};

struct engine_options {
  // Deadlines are rounded up to a multiple of it, counted from the clock's zero. 1 ns: exact.
  duration tick = duration(1);
  wheel_kind wheel = wheel_kind::hierarchical;
  // Of the hashed wheel; rounded up to a power of two; at most 2^24.
  std::size_t hashed_slots = 512;
  wait_options wait = wait_options::hybrid();
  drive_kind drive = drive_kind::worker;
  // tsc: a cheaper reading, calibrated against steady_clock; refused where the TSC is not invariant. A delay ends up to
  // 0.3 us later, and never early while steady_clock is slewed by at most 500 ppm, as by adjtime(3). A greater change
  // of its rate can end delays early that begin within 0.1 ms of it, by what it makes of that time.
  clock_kind clock = clock_kind::steady;
  // Virtual time; implies drive_kind::caller. Must outlive the engine.
  manual_clock* manual = nullptr;
  // The worker's CPU and SCHED_FIFO priority; impossible or denied: the constructor throws.
  std::optional<int> cpu = {};
  std::optional<int> realtime_priority = {};
  // Most timers pending at once, exact. 0: no limit, and no cost.
  std::size_t capacity = 0;
  // Nodes, queue blocks and lists allocated ahead: no allocation while what is pending and in flight stays under it,
  // with no more than 16,384 due at once in a higher lane, and no more groups with members than a quarter of it.
  std::size_t reserve = 65536;
  memory_options memory = {};
  // Null: callbacks run inline on the worker.
  std::shared_ptr<detent::executor> executor = {};
  refusal_policy on_refusal = refusal_policy::run_inline;
  // The worker fires for at most this long before it checks new submissions and the doorbell again; more than zero.
  duration wake_budget = (duration::max)();
  // Gets what callbacks throw, on the thread that ran them: on a pool perhaps by several at once, as on_slow. Default:
  // one line on stderr. Counted either way.
  std::function<void(std::exception_ptr)> on_error = {};
  // A callback that took at least this long is reported to on_slow, on the thread that ran it, and counted. More than
  // zero.
  duration slow_threshold = (duration::max)();
  std::function<void(const slow_callback&)> on_slow = {};
  // Remembers for each timer where and when it was scheduled, in 128 bytes more, for slow_callback and list_pending().
  bool capture_origin = false;
  // The worker thread's name (cut to 15 characters) and the metrics' label.
  std::string name = "detent";
  // The counters live in this file, for `detent top` and `detent stat` (docs/counters.md). "auto":
  // /dev/shm/detent.PID.NUMBER, which goes with the engine; any other stays. Empty: in memory of this process.
  std::string counters_file = {};
  // The operations are written to this file, a trace that `detent replay` reads. Empty: they are not.
  std::string record = {};
};

// Lanes 0 (bulk) to 3 (critical): of what is due, higher lanes run first; order inside a lane is exact.
inline constexpr std::uint8_t lane_count = 4;

struct timer_options {
  // Later than this at its start: dropped and counted, or run with firing::stale() true.
  duration max_lateness = (duration::max)();
  stale_policy stale = stale_policy::drop;
  // May fire up to this much later, so that a sleeping engine wakes up once for many; never earlier. Not negative.
  duration slack = duration(0);
  std::uint8_t lane = 0;
  // Counted apart; of engine::make_label().
  detent::label label = {};
};

struct periodic_options {
  missed_ticks missed = missed_ticks::skip;
  // Ends after this many runs. 0: never.
  std::uint64_t runs = 0;
  // Of each run; as in timer_options.
  duration slack = duration(0);
  std::uint8_t lane = 0;
  detent::label label = {};
};

}  // namespace detent
