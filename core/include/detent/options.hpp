// SPDX-License-Identifier: MIT
// Every option of an engine and of a timer, with its default. The engine's constructor checks the engine's options, and
// each schedule call those of its timer. The error names the option that is impossible, its value and the cure.
// Durations are in nanoseconds.
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
#include <vector>

namespace detent {

enum class wheel_kind : std::uint8_t {
  hierarchical,  // levels of 64 slots: for every mix of deadlines
  hashed         // one level with rounds, as in Netty: to compare with such systems (core/README.md)
};
enum class drive_kind : std::uint8_t {
  worker,  // a thread of the engine
  caller   // the thread that calls poll()
};
enum class clock_kind : std::uint8_t {
  steady,    // std::chrono::steady_clock
  tsc,       // the processor's time-stamp counter; refused where it is not invariant
  automatic  // tsc if the counter is invariant and the kernel's own clock source, else steady
};
enum class refusal_policy : std::uint8_t {
  run_inline,  // on the worker; retried if executor::keeps_order(), as by a keyed_pool
  retry,       // at the next wake-up, at most 1 ms later, in order, for ever
  drop         // counted; a periodic timer goes on, and this run is counted as missed
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
  // twenty is longer, or one in 200 if more than 200 us are allowed. It is at most `max_spin`; if the tick is a
  // millisecond or more, also at most a 64th of the tick.
  static wait_options hybrid(duration max_spin = std::chrono::microseconds(200)) { return {kind::hybrid, max_spin}; }
  // Sleeps only, and is as late as the kernel wakes it.
  static wait_options sleep() { return {kind::sleep, duration(0)}; }

  // One of the three above. Default: hybrid.
  kind mode = kind::hybrid;
  // For hybrid: the longest stretch that it spins, at least 0 ns. Default: 200 us.
  duration max_spin = std::chrono::microseconds(200);
  // Spins by the processor's timed wait (TPAUSE on Intel, MWAITX on AMD; PAUSE if it has neither), except in the last
  // 12 us before a deadline. That takes less power and leaves more of the core to its other hyperthread. An earlier
  // deadline that is submitted during the wait is seen up to a microsecond later. Default: off.
  bool light_spin = false;
};

struct slow_callback {
  detent::label label;
  std::uint64_t tag;
  duration took;
  time_point deadline;
  const char* file;  // of the schedule call; null unless capture_origin
  std::uint32_t line;
};

// A callback that threw, or whose report to on_slow threw. It converts to the exception, so that on_error may also be a
// function of a std::exception_ptr alone.
struct failed_callback {
  // Those of its timer. They are empty, and the deadline is the clock's zero, for a coroutine that goes on because its
  // timer ended without a run, for example with its engine.
  detent::label label;
  std::uint64_t tag;
  time_point deadline;
  const char* file;  // of the schedule call; null unless capture_origin
  std::uint32_t line;
  std::exception_ptr error;

  operator std::exception_ptr() const noexcept { return error; }
};

// The place of an engine in a set. sharded_engine fills it in; a program that keeps its engines as a set may do so too.
struct shard_identity {
  // The number of the set, unique in this process and not 0. 0: the engine belongs to no set.
  std::uint32_t set = 0;
  // The engine's number in the set, from 0, and how many engines the set has.
  std::uint32_t index = 0, shards = 0;
};

struct engine_options {
  // The name of the worker's thread (cut to 15 characters), and of the engine in errors, counters and metrics. Default:
  // "detent".
  std::string name = "detent";
  // Who turns the wheel: a thread of the engine's own, or the caller of poll(). Default: a worker.
  drive_kind drive = drive_kind::worker;
  // Virtual time; implies drive_kind::caller. Must outlive the engine. Null, the default: time is real.
  manual_clock* manual = nullptr;
  // Deadlines are rounded up to a multiple of the tick, counted from the clock's zero. At least 1 ns. Default: 1 ns,
  // which is exact.
  duration tick = duration(1);
  // How the worker waits: lateness against CPU time. Ignored without a worker. Default: hybrid, spinning for at most
  // 200 us.
  wait_options wait = wait_options::hybrid();
  // Most timers pending at once, exact; a schedule call beyond it is refused. Default: 0, no limit and no cost.
  std::size_t max_pending = 0;
  // Runs the callbacks: a thread_pool, a keyed_pool, an asio_executor(), or one of the program's own. Null, the
  // default: callbacks run inline, on the worker or inside poll().
  std::shared_ptr<detent::executor> executor = {};
  // More executors, for the timers and groups that name one of them; at most 62. With them, callbacks that run inline
  // take the same way as those that are handed over, which costs some 0.1 us more a run. Default: none, so the one
  // executor is for all.
  std::vector<std::shared_ptr<detent::executor>> executors = {};
  // How a callback is handled that the executor refuses, as a pool with a full queue does. Default: it runs inline.
  refusal_policy on_refusal = refusal_policy::run_inline;
  // The CPU that the worker is pinned to, as the kernel numbers them, from 0. The constructor throws if there is no
  // such CPU or no worker, or if the control group does not allow it. Default: none, so the worker runs where the
  // thread that made it may.
  std::optional<int> cpu = {};
  // The worker's SCHED_FIFO priority, 1 to 99. It needs CAP_SYS_NICE or as great an RLIMIT_RTPRIO. The constructor
  // throws if it is denied, or if there is no worker. Threads and processes that callbacks start do not have it.
  // Default: none, an ordinary thread.
  std::optional<int> realtime_priority = {};
  // Gets what callbacks throw, on the thread that ran them, so on a pool perhaps on several at once; on_slow likewise.
  // Takes a const failed_callback&, or only a std::exception_ptr. The exceptions are counted in any case. Default: one
  // line on stderr, with the label, the tag and the place of the schedule call if they are known.
  std::function<void(const failed_callback&)> on_error = {};
  // A callback that took at least this long is counted, and reported to on_slow on the thread that ran it; more than 0
  // ns. Default: none is slow.
  duration slow_threshold = (duration::max)();
  // Gets each slow callback. Default: it is only counted.
  std::function<void(const slow_callback&)> on_slow = {};
  // Keeps for each timer where and when it was scheduled, for failed_callback, slow_callback and list_pending(). Takes
  // 128 bytes more a timer. Default: off.
  bool capture_origin = false;
  // For how many timers to allocate nodes, queue blocks and lists ahead. The engine allocates nothing as long as
  // this is more than the timers pending and in flight, and more than the sum of each thread's peak in the queue, and
  // as long as at most 16,384 timers of a higher lane are due, or queued, at once, and at most a quarter as many groups
  // have members. If it is more than the default, the constructor touches the pages of all these nodes, 64 bytes each.
  // At most 4,294,901,760. Default: 65,536.
  std::size_t reserve = 65536;
  // Keeps the counters in this file, for `detent top` and `detent stat` (docs/counters.md). "auto" is
  // /dev/shm/detent.PID.NUMBER, which is removed with the engine; any other file stays. Default: empty, in the
  // process's own memory.
  std::string counters_file = {};
  // Tells this engine from others with its name, in one process or in many, for Prometheus and `detent stat`. Use
  // something that stays the same when the process restarts, such as the number of a unit, and not a process id. At
  // most 63 bytes. Default: empty.
  std::string instance = {};
  // Writes the operations to this file, as a trace that `detent replay` reads; not the counters_file. If the name ends
  // in .gz, the trace is compressed by zlib, which is loaded then. Default: empty, no recording.
  std::string record = {};
  // The longest time that a core may take to leave an idle state, 0 ns to 1 s, in whole microseconds (rounded down). It
  // holds for all cores of the machine while the worker sleeps towards a deadline at most 10 ms away, and in the last
  // millisecond of longer sleeps. 0 allows polling only, at full power. It is held through /dev/cpu_dma_latency; the
  // constructor throws if that cannot be opened. It costs a system call each time that it begins or ends, and one more
  // wake-up for each longer sleep. A busy() worker never sleeps, so it holds nothing. Default: none, any idle state.
  std::optional<duration> cpu_latency_limit = {};
  // The TSC is cheaper to read than steady_clock. It is calibrated against steady_clock, which is read itself before
  // each callback. With it a delay ends up to 0.3 us later, and never early by steady_clock while that is slewed by at
  // most 500 ppm, as by adjtime(3). If its rate changes by more, delays that begin within 0.1 ms of the change can end
  // early, by at most the change of rate times that 0.1 ms. engine_metrics::clock says which clock an engine has, and
  // why if it is not the TSC. With `automatic` the constructor reads one file of /sys, and engine::now() is
  // steady_clock's. Default: automatic.
  clock_kind clock = clock_kind::automatic;
  // Where nodes come from, and how their pages are mapped. Default: mmap, with huge pages if they are available.
  memory_options memory = {};
  // The worker fires for at most this long before it checks new submissions and the doorbell again; more than 0 ns.
  // Default: no limit.
  duration wake_budget = (duration::max)();
  // Where pending timers lie. Both kinds fire exactly. Default: hierarchical.
  wheel_kind wheel = wheel_kind::hierarchical;
  // Slots of the hashed wheel, for timers more than a thousand ticks away: 1 to 2^24, rounded up to a power of two. The
  // hierarchical wheel ignores it. Default: 512.
  std::size_t hashed_slots = 512;
  // For `detent top` and `detent stat`, which show a set as one. Default: of no set.
  shard_identity shard = {};
};

// Lanes 0 (bulk) to 3 (critical): of what is due, higher lanes run first. The order inside a lane is exact.
inline constexpr std::uint8_t lane_count = 4;

struct timer_options {
  // The timer is counted apart under this name, from make_label() of the same engine. Default: none.
  detent::label label = {};
  // A number for the program's use, such as an id of what the timer is about. It is carried by firing, fired_timer,
  // unfired_timer, pending_timer, slow_callback and failed_callback. Default: 0.
  std::uint64_t tag = 0;
  // The timer's lane, 0 to 3. Default: 0.
  std::uint8_t lane = 0;
  // The timer may fire up to this much later, never earlier, so that a sleeping engine wakes up once for many timers.
  // At least 0 ns. Default: 0 ns, on time.
  duration slack = duration(0);
  // A callback that would start later than this is stale. If it is negative, every callback is. Default: none ever is.
  duration max_lateness = (duration::max)();
  // How a stale timer is handled: dropped and counted, or run with firing::stale() true. Default: dropped.
  stale_policy stale = stale_policy::drop;
  // One of engine_options::executor and executors, or on_driver(). Null, the default: the group's, else the engine's.
  detent::executor* executor = nullptr;
};

struct periodic_options {
  // The timer ends after this many runs. Runs that are dropped at their hand-over do not count. Default: 0, it never
  // does.
  std::uint64_t runs = 0;
  // How periods of fixed-rate timers that could not be met are handled. Default: skipped, and counted.
  missed_ticks missed_policy = missed_ticks::skip;
  // The timer's runs are counted apart under this name, as in timer_options. Default: none.
  detent::label label = {};
  // A number for the program's use, as in timer_options. Default: 0.
  std::uint64_t tag = 0;
  // The lane of each run, 0 to 3. Default: 0.
  std::uint8_t lane = 0;
  // Each run may come up to this much later, as in timer_options; at least 0 ns. Default: 0 ns.
  duration slack = duration(0);
  // Where the runs go, as in timer_options. Null, the default: the group's executor, else the engine's.
  detent::executor* executor = nullptr;
};

}  // namespace detent
