// SPDX-License-Identifier: MIT
// Every option of an engine and of a timer, with its default. The engine's constructor checks the engine's, and each
// schedule call those of its timer: the error names the one that is impossible, its value and the cure. Durations are
// in nanoseconds.
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
  hashed         // one level with rounds, as Netty's: to compare with such systems (core/README.md)
};
enum class drive_kind : std::uint8_t {
  worker,  // a thread of the engine's own
  caller   // the thread that calls poll()
};
enum class clock_kind : std::uint8_t {
  steady,    // std::chrono::steady_clock
  tsc,       // the processor's time-stamp counter; refused where it is not invariant
  automatic  // tsc where the counter is invariant and the kernel's own clock source, else steady
};
enum class refusal_policy : std::uint8_t {
  run_inline,  // on the worker; but retried where executor::keeps_order(), as by a keyed_pool
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
  // twenty is longer, or one in 200 if more than 200 us are allowed; at most this long, and where the tick is a
  // millisecond or more, at most a 64th of it.
  static wait_options hybrid(duration max_spin = std::chrono::microseconds(200)) { return {kind::hybrid, max_spin}; }
  // Sleeps only: as late as the kernel wakes.
  static wait_options sleep() { return {kind::sleep, duration(0)}; }

  // One of the three above. hybrid.
  kind mode = kind::hybrid;
  // Of hybrid: the longest stretch that it spins, at least 0 ns. 200 us.
  duration max_spin = std::chrono::microseconds(200);
  // Spins by the processor's wait for a time (TPAUSE on Intel, MWAITX on AMD; PAUSE where it has neither), except in
  // the last 12 us before a deadline: less power, and more of the core for its other hyperthread. An earlier deadline
  // that is submitted in that time is seen up to a microsecond later. Off.
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

// Which engine of a set it is: sharded_engine fills it in, and a program that keeps engines of its own as a set may.
struct shard_identity {
  // The set's number, not 0 and its own in this process. 0: the engine is of no set.
  std::uint32_t set = 0;
  // Which it is of how many, from 0.
  std::uint32_t index = 0, shards = 0;
};

struct engine_options {
  // Deadlines are rounded up to a multiple of it, counted from the clock's zero; at least 1 ns. 1 ns, which is exact.
  duration tick = duration(1);
  // Where pending timers lie; both fire exactly. Hierarchical.
  wheel_kind wheel = wheel_kind::hierarchical;
  // Slots of the hashed wheel, for what is more than a thousand ticks away: 1 to 2^24, rounded up to a power of two.
  // 512. The hierarchical wheel ignores it.
  std::size_t hashed_slots = 512;
  // How the worker waits: lateness against CPU time. Hybrid, spinning for at most 200 us. Without a worker ignored.
  wait_options wait = wait_options::hybrid();
  // Who turns the wheel: a thread of the engine's own, or the caller of poll(). A worker.
  drive_kind drive = drive_kind::worker;
  // The TSC is a cheaper reading, calibrated against steady_clock, which is read itself before each callback. A delay
  // ends up to 0.3 us later, and never early by steady_clock while that is slewed by at most 500 ppm, as by adjtime(3).
  // A greater change of its rate can end delays early that begin within 0.1 ms of it, by what it makes of that time.
  // Which clock an engine has, and why if not the TSC: engine_metrics::clock. With `automatic` the constructor reads
  // one file of /sys, and engine::now() is steady_clock's. Automatic.
  clock_kind clock = clock_kind::automatic;
  // Virtual time; implies drive_kind::caller. Must outlive the engine. Null: time is real.
  manual_clock* manual = nullptr;
  // The CPU that the worker is pinned to, as the kernel numbers them, from 0. None: it runs where its maker might. The
  // constructor throws where there is no such CPU or no worker, or where the control group does not allow it.
  std::optional<int> cpu = {};
  // The worker's SCHED_FIFO priority, 1 to 99; needs CAP_SYS_NICE or as great an RLIMIT_RTPRIO. None: an ordinary
  // thread. The constructor throws where it is denied, or where there is no worker. Threads and processes that
  // callbacks start do not have it.
  std::optional<int> realtime_priority = {};
  // While the worker sleeps towards a deadline at most 10 ms away, and for the last millisecond of longer sleeps, no
  // core of the machine enters an idle state that takes longer than this to leave; 0 ns to 1 s, in whole microseconds.
  // None: any state. 0: none but polling, at full power. Held through /dev/cpu_dma_latency; the constructor throws
  // where that cannot be opened. It costs a system call each time that it begins or ends, and a wake-up more for each
  // longer sleep. A busy() worker never sleeps, and so holds nothing.
  std::optional<duration> cpu_latency_limit = {};
  // Most timers pending at once, exact; a schedule call beyond is refused. 0: no limit, and no cost.
  std::size_t capacity = 0;
  // Nodes, queue blocks and lists allocated ahead: no allocation while what is pending and in flight stays under it, as
  // does the sum of what each thread has had in the queue at most, with no more than 16,384 due at once in a higher
  // lane or in the queue for these, and no more groups with members than a quarter of it. If it is more than this
  // default, 65,536, the pages of so many nodes, 64 bytes each, are touched by the constructor. At most 4,294,901,760.
  std::size_t reserve = 65536;
  // Where nodes come from, and what is asked of their pages. mmap, with huge pages where they can be had.
  memory_options memory = {};
  // Runs the callbacks: a thread_pool, keyed_pool, asio_executor(), one of the program's own. Null: they run inline, on
  // the worker or inside poll().
  std::shared_ptr<detent::executor> executor = {};
  // Others, for the timers and groups that name one of them; at most 62. With them, what runs inline goes the way of
  // what is handed over: some 0.1 us more a run. Empty: the one executor is for all.
  std::vector<std::shared_ptr<detent::executor>> executors = {};
  // How a callback is handled that the executor refuses, as a pool with a full queue does. It runs inline.
  refusal_policy on_refusal = refusal_policy::run_inline;
  // The worker fires for at most this long before it checks new submissions and the doorbell again; more than 0 ns. No
  // limit.
  duration wake_budget = (duration::max)();
  // Gets what callbacks throw, on the thread that ran them: on a pool perhaps by several at once, as on_slow. Default:
  // one line on stderr. Counted either way.
  std::function<void(std::exception_ptr)> on_error = {};
  // A callback that took at least this long is reported to on_slow, on the thread that ran it, and counted; more than
  // 0 ns. None is slow.
  duration slow_threshold = (duration::max)();
  // Gets each slow callback. Default: it is counted, and no more.
  std::function<void(const slow_callback&)> on_slow = {};
  // Remembers for each timer where and when it was scheduled, in 128 bytes more, for slow_callback and list_pending().
  // Off.
  bool capture_origin = false;
  // The worker thread's name (cut to 15 characters) and the engine's, in errors, counters and metrics. "detent".
  std::string name = "detent";
  // The counters live in this file, for `detent top` and `detent stat` (docs/counters.md). "auto":
  // /dev/shm/detent.PID.NUMBER, which goes with the engine; any other stays. Empty: in memory of this process.
  std::string counters_file = {};
  // Which it is of several engines that have this name, in one process or in many, for Prometheus and `detent stat`:
  // what stays when the process is restarted, such as the number of a unit; no process id. At most 63 bytes. Empty:
  // none.
  std::string instance = {};
  // The operations are written to this file, a trace that `detent replay` reads; not the counters_file. A name that
  // ends in .gz: gzip-compressed, by zlib, which is loaded then. Empty: they are not.
  std::string record = {};
  // For `detent top` and `detent stat`, which show a set as one. Of none.
  shard_identity shard = {};
};

// Lanes 0 (bulk) to 3 (critical): of what is due, higher lanes run first; order inside a lane is exact.
inline constexpr std::uint8_t lane_count = 4;

struct timer_options {
  // A callback that would start later than this is stale. Never; a negative one makes every callback stale.
  duration max_lateness = (duration::max)();
  // How a stale timer is handled: it is dropped and counted, or runs with firing::stale() true. Dropped.
  stale_policy stale = stale_policy::drop;
  // May fire up to this much later, so that a sleeping engine wakes up once for many; never earlier. At least 0 ns.
  // 0 ns: on time.
  duration slack = duration(0);
  // The timer's lane, 0 to 3. 0.
  std::uint8_t lane = 0;
  // It is counted apart under this name; of make_label() of the same engine. None: with all others alone.
  detent::label label = {};
  // Yours: what it is about, or whose. Carried by firing, fired_timer, unfired, pending_timer and slow_callback. 0.
  std::uint64_t tag = 0;
  // One of engine_options::executor and executors, or on_driver(). Null: its group's, else the engine's.
  detent::executor* executor = nullptr;
};

struct periodic_options {
  // How periods of fixed-rate timers that could not be met are handled. Skipped, and counted.
  missed_ticks missed = missed_ticks::skip;
  // Ends after this many runs. 0: never.
  std::uint64_t runs = 0;
  // Each run may come up to this much later, as in timer_options; at least 0 ns. 0 ns.
  duration slack = duration(0);
  // The lane of each run, 0 to 3. 0.
  std::uint8_t lane = 0;
  // The timer's runs are counted apart under this name, as in timer_options. None.
  detent::label label = {};
  // Yours, as in timer_options. 0.
  std::uint64_t tag = 0;
  // Where its runs go, as in timer_options. Null: its group's, else the engine's.
  detent::executor* executor = nullptr;
};

}  // namespace detent
