// SPDX-License-Identifier: MIT
// The options of durable timers, and the values that they report.
#pragma once

#include <detent/durable_error.hpp>
#include <detent/manual_clock.hpp>
#include <detent/time.hpp>
#include <detent/wall_time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace detent::durable {

// Virtual time, for tests: the wall clock reads `epoch` at the manual clock's zero. Null: time is real.
struct virtual_time {
  const manual_clock* clock = nullptr;
  wall_time epoch = {};
};

// The answers of cancel(). If many nodes share the store, the owner of the timer gives the first three.
enum class cancel_result : std::uint8_t {
  cancelled,  // no handler will start for it, on any node
  running,    // its handler runs now; it will be neither retried nor repeated
  gone,       // it has ended or never was; or this cancel took it, and the store's first answer was lost
  unknown     // the store or the node that has it did not answer in time; it may run once. Ask again.
};

// Names a timer by its key, and the partition if it was scheduled with one.
struct timer_name {
  timer_name(std::string_view of_key, std::string_view of_partition = {}) : key(of_key), partition(of_partition) {}
  timer_name(const std::string& of_key) : key(of_key) {}
  timer_name(const char* of_key) : key(of_key) {}

  std::string_view key;
  std::string_view partition;
};

enum class on_conflict : std::uint8_t {
  // The timer that is there stays, and the new one is not stored. If it runs already, it runs once more after that,
  // with the new one's payload and due time.
  keep,
  replace,
  fail
};

// Reports whether a timer was stored, and how. Converts to its error if an error_code is wanted.
class put_result {
 public:
  enum class kind : std::uint8_t {
    stored,    // the key was free
    kept,      // the key names a timer, which runs after the call
    replaced,  // the timer that the key had named was replaced
    exists,    // the key names a timer: on_conflict::fail
    failed     // see error()
  };
  put_result(kind is, std::error_code error = {}) noexcept : is_(is), error_(error) {}

  kind what() const noexcept { return is_; }
  std::error_code error() const noexcept { return error_; }  // no error if the store has the timer
  operator std::error_code() const noexcept { return error_; }
  explicit operator bool() const noexcept { return static_cast<bool>(error_); }  // whether there is an error

 private:
  kind is_;
  std::error_code error_;
};

struct timer_options {
  // Names the timer in the store, 1 to 128 bytes: the same key is the same timer. Default: empty, a new key of 15
  // characters.
  std::string_view key = {};
  // Decides what happens if the key names a timer already. Default: that one is kept.
  on_conflict conflict = on_conflict::keep;
  // Timers of one partition fire on one node at a time, and start in deadline order. Their keys are separate from those
  // of other partitions. Default: empty, the key takes the place of the partition.
  std::string_view partition = {};
  // Called once: when the store has the timer for good (no error), or when it will not have it (exists, or stopped). It
  // runs on the thread that talks to the store, and must not hold that up. It may take the error alone:
  // void(std::error_code). Null, the default: failures are reported to options::on_trouble.
  std::function<void(put_result)> on_stored = {};
};

struct handler_options {
  // The timer is dead after this many runs that fail; at least 1. Default: 10.
  std::uint32_t max_attempts = 10;
  // The first retry comes after half of this to all of it, each further one after twice as much; more than 0 ns.
  // Default: 1 s.
  duration first_retry = std::chrono::seconds(1);
  // No retry waits longer than this; more than 0 ns. Default: 10 min.
  duration longest_retry = std::chrono::minutes(10);
  // This many runs of the handler may go on at once on this node, detached ones included. Further ones that are due
  // wait in their order, and timers of other handlers go ahead of them, also in one partition. Default: 0, as many as
  // the executor runs.
  std::size_t most_running = 0;
  // Calls the function that it is given, once, on a thread of its choice: a pool of this handler's own. If it throws,
  // or destroys the function instead, the run is tried again later. It is called on the engine's executor. Null, the
  // default: the engine's executor runs the handler itself.
  std::function<void(std::function<void()>)> executor = {};
};

struct dead_timer {
  std::string_view key;
  std::string_view partition;
  std::string_view handler;
  wall_time due;
  std::uint32_t attempts;
  std::string_view why;
};

struct options {
  // A name for people: it appears in lists, and begins the node's unique name. Up to 32 bytes. Default: empty, "node".
  std::string node = {};
  // A timer is read into this node's engine this long before its time; at least 1 ms. Default: 1 s.
  duration horizon = std::chrono::seconds(1);
  // A node that does not renew its terms for this long loses them, and others run its timers; 50 ms to 1 h. If it is
  // less than 16 round trips to the store, these are the lease. Default: 3 s.
  duration lease = std::chrono::seconds(3);
  // Operations and ends that come within this time, or half of `unwritten` of them, go to the store together; up to 1
  // h. Default: 2 ms.
  duration flush = std::chrono::milliseconds(2);
  // How many operations may wait for the store; at least 1. Default: 65,536.
  std::size_t outbox = 65536;
  // How many bytes of memory these may take, or one of them if it takes more; at least 1. Default: 64 MiB.
  std::size_t outbox_bytes = std::size_t{64} << 20u;
  // How many timers may be in memory at once, for all shards; at least 1. Default: 262,144.
  std::size_t read_ahead = 262144;
  // How many bytes of payload these may have, and at most 64 KiB more for each shard; at least 1. Default: 64 MiB.
  std::size_t read_ahead_bytes = std::size_t{64} << 20u;
  // This many runs may have ended without the store having their ends; further timers wait for it. A crash repeats no
  // more than these and the runs that go on. Ends are not counted if they are for a server of a cluster that is away,
  // or for timers that a transaction of the program's own holds. At least 1. Default: 2,048.
  std::size_t unwritten = 2048;
  // A node takes no shards if its wall clock is certainly further than this from the store's, which is known if the
  // store's answer took less time; more than 0 ns. Default: 50 ms.
  duration max_skew = std::chrono::milliseconds(50);
  // The owner of a dead timer's shard erases it this long after its death; 0 or the greatest duration: never. If nodes
  // differ, the longest time holds, and each reports that once. Default: 0.
  duration dead_for = {};
  // How many dead timers the store keeps. Beyond that, those that died first are erased; 0 or the greatest number: it
  // keeps all. They are counted each second, or each 10 ms a shard if that is longer. If nodes differ, the greatest
  // number holds. Default: 0.
  std::size_t most_dead = 0;
  // The clock of an engine on a manual clock (engine_options::manual), and of no other. There is no thread then, and
  // the engine's run_until() drives these timers as well. They must be the only ones on their store, which is a
  // `memory` on the same clock. Leases and the horizon mean nothing. One thread may call them. Default: null, time is
  // real.
  virtual_time time = {};
  // Gets a timer whose last attempt failed, on the thread that talks to the store. Null, the default: it is only
  // counted.
  std::function<void(const dead_timer&)> on_dead = {};
  // Gets the code and one line when the store is lost or found again (no error), when a term is lost, for an unknown
  // handler, and each minute why stored timers wait for this node. It runs on the thread that talks to the store. Null,
  // the default: lines on stderr, at most one a second.
  std::function<void(std::error_code, std::string_view)> on_trouble = {};
};

struct listed {
  std::string key;
  std::string partition;
  std::string handler;
  std::string schedule;  // empty: runs once
  std::vector<std::byte> payload;
  wall_time due;
  std::uint32_t attempt;
  std::uint16_t shard;
  std::string why;                     // of dead ones
  std::optional<wall_time> died = {};  // by the store's clock, or its due time if that is not known; none: it lives
};

struct listed_page {
  std::vector<listed> timers;
  std::string next;  // for the next page; letters and digits. Empty: nothing is left
};

// Selects timers that meet all of these.
struct query {
  std::string handler = {};                   // empty: any
  std::optional<std::string> partition = {};  // none: any
  std::string key_prefix = {};                // empty: any
  // The range of due times; for dead timers, of the times at which they died.
  wall_time from = (wall_time::min)();
  wall_time until = (wall_time::max)();  // excluded
  bool dead = false;                     // the dead ones instead
  std::size_t limit = 100;               // the most that are returned
};

// Why stored timers that this node could run are waiting, or why it runs none.
enum class stall : std::uint8_t {
  none,
  store_away,      // the store does not answer
  clock_off,       // this node's clock is off by more than max_skew: it takes no shard
  no_shard,        // it has no shard for two leases; if no timers wait, others have all, and this one stands by
  unknown_handler  // no node has a handler for them
};
// The reason in a word, as in labels of metrics: "none", "store_away", "clock_off", "no_shard", "unknown_handler".
std::string_view name_of(stall reason) noexcept;

// Counts since the node began, and sizes as they are now.
struct metrics {
  std::uint64_t stored = 0;   // put, moved, cancelled: operations that the store has answered
  std::uint64_t runs = 0;     // handlers started
  std::uint64_t retries = 0;  // runs that failed and will be tried again
  std::uint64_t dead = 0;     // timers that died here
  // Dead timers that the store has in all shards, as counted last; 0 before the start. options::most_dead says how
  // often they are counted.
  std::uint64_t dead_in_store = 0;
  std::uint64_t lapsed = 0;       // runs that did not start because the term was over by the clock
  std::uint64_t fenced = 0;       // ends whose term was over
  std::uint64_t terms = 0;        // taken
  std::uint64_t terms_lost = 0;   // terms that ended without being given back
  std::uint64_t unavailable = 0;  // calls of the store that failed
  std::uint64_t unhandled = 0;    // timers that the node met without a handler for them
  std::size_t shards_owned = 0;
  std::size_t in_hand = 0;        // timers in memory
  std::size_t in_hand_bytes = 0;  // of payload
  std::size_t outbox = 0;         // operations that wait for the store
  std::size_t outbox_bytes = 0;
  std::size_t ends = 0;    // runs whose end waits for the store
  duration read_lag = {};  // how far the read level of the worst shard lags
  duration skew = {};      // the store's clock less this node's, accurate to half a round trip
  stall stalled = stall::none;
  std::uint64_t waiting = 0;  // stored timers that wait for that reason; approximate, at most ten seconds old
};

}  // namespace detent::durable
