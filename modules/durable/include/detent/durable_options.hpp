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

// The answers of cancel(). In a store that many share the first three are the owner's own answer.
enum class cancel_result : std::uint8_t {
  cancelled,  // no handler will start for it, on any node
  running,    // its handler runs now; it will be neither retried nor repeated
  gone,       // it has ended, or never was; or this very cancel took it, and the store's first answer was lost
  unknown     // the store or the node that has it did not answer in time: it may run once. Ask again.
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
  // with
  // the new one's payload and due time.
  keep,
  replace,
  fail
};

// Reports what has become of a timer that was to be stored. Stands for its error where an error_code is wanted.
class put_result {
 public:
  enum class kind : std::uint8_t {
    stored,    // its key was free
    kept,      // the key names a timer, and that runs after the call
    replaced,  // the one that the key had named
    exists,    // the key names a timer: on_conflict::fail
    failed     // see error()
  };
  put_result(kind is, std::error_code error = {}) noexcept : is_(is), error_(error) {}

  kind what() const noexcept { return is_; }
  std::error_code error() const noexcept { return error_; }  // none, where the store has the timer
  operator std::error_code() const noexcept { return error_; }
  explicit operator bool() const noexcept { return static_cast<bool>(error_); }  // whether there is an error

 private:
  kind is_;
  std::error_code error_;
};

struct timer_options {
  // Names the timer in the store, 1 to 128 bytes: the same key is the same timer. Empty: one of its own, 15 characters.
  std::string_view key = {};
  // Decides what happens if the key names a timer already. By default that one is kept.
  on_conflict conflict = on_conflict::keep;
  // Timers of one partition fire on one node at a time and start in deadline order; their keys are apart from those
  // of other partitions. Empty: by key.
  std::string_view partition = {};
  // Called once when the store has it for good (no error), or will not: exists, or stopped. On the thread that talks to
  // the store, which it must not hold up. Null: what fails is reported to options::on_trouble. It may take the error
  // alone: void(std::error_code).
  std::function<void(put_result)> on_stored = {};
};

struct handler_options {
  // After so many runs that fail it is dead; at least 1. 10.
  std::uint32_t max_attempts = 10;
  // The first retry comes after half of this to all of it, each further one after twice as much; more than 0 ns. 1 s.
  duration first_retry = std::chrono::seconds(1);
  // No retry waits longer than this, more than 0 ns. 10 min.
  duration longest_retry = std::chrono::minutes(10);
  // So many of its runs may go on at once on this node, detached ones included; those that are due beyond wait in their
  // order, and timers of other handlers go ahead of them, of one partition too. 0: as many as the executor runs.
  std::size_t most_running = 0;
  // Calls the function that it is given, once, on a thread of its choice: a pool of this handler's own. If it throws,
  // or destroys the function instead, the run is tried again later. Called on the engine's executor. Null: that runs
  // it.
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
  // For people: in lists, and before what is unique in the node's name. Up to 32 bytes. Empty: "node".
  std::string node = {};
  // So far ahead of its time a timer is read into this node's engine; at least 1 ms. 1 s.
  duration horizon = std::chrono::seconds(1);
  // A node that does not renew its terms for so long loses them, and others run what it had; 50 ms to 1 h. Where it is
  // less than 16 round trips to the store, these are the lease. 3 s.
  duration lease = std::chrono::seconds(3);
  // Operations and ends go to the store together that come within so long, or half of `unwritten`; up to 1 h. 2 ms.
  duration flush = std::chrono::milliseconds(2);
  // How many operations may wait for the store; at least 1. 65,536.
  std::size_t outbox = 65536;
  // How many bytes of memory these may take, or one of them if it takes more; at least 1. 64 MiB.
  std::size_t outbox_bytes = std::size_t{64} << 20u;
  // How many timers may be in memory at once, of all shards; at least 1. 262,144.
  std::size_t read_ahead = 262144;
  // How many bytes of payload these may have, and at most 64 KiB more for each shard; at least 1. 64 MiB.
  std::size_t read_ahead_bytes = std::size_t{64} << 20u;
  // So many runs may have ended whose ends the store does not have; further timers wait for it. A crash repeats no more
  // than these and what runs. Ends for one server of a cluster that is away are not counted, nor those of timers that a
  // transaction of the program's own holds. At least 1. 2,048.
  std::size_t unwritten = 2048;
  // A node whose wall clock is further than this from the store's, and certainly so, as the store's answer took less,
  // takes no shards; more than 0 ns. 50 ms.
  duration max_skew = std::chrono::milliseconds(50);
  // So long after its death a dead timer is erased, by the owner of its shard; 0 or the greatest duration: never. Of
  // nodes that differ, the longest time holds, and each says so once. 0.
  duration dead_for = {};
  // How many dead timers the store keeps: beyond, those go that died first; 0 or the greatest number: all. Counted each
  // second, or each 10 ms a shard if that is longer. Of nodes that differ, the greatest number holds. 0.
  std::size_t most_dead = 0;
  // For an engine on a manual clock (engine_options::manual), and no other: that clock. There is no thread then, the
  // engine's run_until() drives these timers as well, and they are the only ones on their store, which is a `memory` on
  // the same clock: leases and horizon mean nothing. One thread may call them. Null: time is real.
  virtual_time time = {};
  // A timer whose last attempt failed. On the thread that talks to the store. Null: it is counted, and no more.
  std::function<void(const dead_timer&)> on_dead = {};
  // The store lost and found again (no error), a term lost, an unknown handler, and each minute why stored timers wait
  // for this node: the code, and one line that says which.
  // On the thread that talks to the store. Null: lines on stderr, at most one a second.
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
  std::optional<wall_time> died = {};  // by the store's clock, or where that is not known, its due time; none: it lives
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
  // Of the due time, and of dead ones of the time at which they died.
  wall_time from = (wall_time::min)();
  wall_time until = (wall_time::max)();  // not among them
  bool dead = false;                     // the dead ones instead
  std::size_t limit = 100;               // at most so many
};

// Why stored timers wait that this node could run, or why it runs none.
enum class stall : std::uint8_t {
  none,
  store_away,      // the store does not answer
  clock_off,       // this node's clock is off by more than max_skew: it takes no shard
  no_shard,        // it has no shard for two leases; if no timers wait, others have all, and this one stands by
  unknown_handler  // no node has a handler for them
};
// In a word, as in labels of metrics: "none", "store_away", "clock_off", "no_shard", "unknown_handler".
std::string_view name_of(stall reason) noexcept;

// Counts since the node began, and the rest as it is now.
struct metrics {
  std::uint64_t stored = 0;   // put, moved, cancelled: operations that the store has answered
  std::uint64_t runs = 0;     // handlers started
  std::uint64_t retries = 0;  // runs that failed and will be tried again
  std::uint64_t dead = 0;     // timers that died here
  // Dead timers that the store has, of all shards, as counted last; 0 before the start. options::most_dead says how
  // often.
  std::uint64_t dead_in_store = 0;
  std::uint64_t lapsed = 0;       // runs that did not start because the term was over by the clock
  std::uint64_t fenced = 0;       // ends whose term was over
  std::uint64_t terms = 0;        // taken
  std::uint64_t terms_lost = 0;   // that ended without being given back
  std::uint64_t unavailable = 0;  // calls of the store that failed
  std::uint64_t unhandled = 0;    // timers met without a handler for them
  std::size_t shards_owned = 0;
  std::size_t in_hand = 0;        // timers in memory
  std::size_t in_hand_bytes = 0;  // of payload
  std::size_t outbox = 0;         // operations that wait for the store
  std::size_t outbox_bytes = 0;
  std::size_t ends = 0;    // runs whose end waits for the store
  duration read_lag = {};  // how far the read level lags, of the shard that is worst off
  duration skew = {};      // the store's clock less this node's, accurate to half a round trip
  stall stalled = stall::none;
  std::uint64_t waiting = 0;  // stored timers that wait for that reason; about, and as counted in the last ten seconds
};

}  // namespace detent::durable
