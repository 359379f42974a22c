// SPDX-License-Identifier: MIT
// The state of an engine by one reading of its counters file.
#pragma once
#include <detent/counters_layout.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/counters_histogram.hpp"

namespace detent::tool {

using counters_layout::cause;
using counters_layout::counter;
using counters_layout::gauge;
using counters_layout::label_counter;

template <class Key, class Value>
class array_by {  // an array whose index is an enumeration that ends with count_
 public:
  Value& operator[](Key key) { return values_[static_cast<std::size_t>(key)]; }
  const Value& operator[](Key key) const { return values_[static_cast<std::size_t>(key)]; }

 private:
  std::array<Value, static_cast<std::size_t>(Key::count_)> values_{};
};

// The histograms of the causes include the zeros that the file leaves out, so that their percentiles can be compared.
using histograms_by_cause = array_by<cause, counters_histogram>;

struct engine_identity {
  std::string path;      // the file's path
  std::string name;      // printable, as is the name of a label
  std::string instance;  // engine_options::instance, printable; may be empty
  std::int64_t process = 0;
  std::uint64_t process_namespace = 0;  // the inode of the process's pid namespace; 0 if unknown
  std::uint64_t process_start = 0;      // field 22 of /proc/PID/stat
  // Process ids, and start times, mean the same here as to the engine. Both are true if that is unknown.
  bool same_processes = true, same_starts = true;
  std::int64_t made_at = 0;         // CLOCK_MONOTONIC of the reader, in nanoseconds
  std::uint32_t worker_thread = 0;  // 0 if a caller drives it
  std::int64_t tick = 0;            // nanoseconds
  std::int64_t max_spin = 0;        // nanoseconds; for the wait mode hybrid
  std::uint64_t capacity = 0;       // 0 if there is no limit
  // Words of the options: hierarchical, hashed; busy, hybrid, sleep; worker, caller; steady, tsc, manual.
  const char* wheel = "";
  const char* wait = "";
  const char* drive = "";
  const char* clock = "";
  const char* clock_reason = "";  // why clock_kind::automatic chose the steady clock
  // The number of the sharded_engine in its process, the number of this shard, and how many there are. All are 0 for an
  // engine that is no shard.
  std::uint32_t set = 0, shard = 0, shards = 0;
};

// The state of an engine by the lock on its file.
enum class engine_lock : std::uint8_t {
  none,  // the engine or the file system has no lock
  held,  // the engine lives
  free   // the engine is gone
};

struct label_snapshot {
  std::string name;  // printable, and unique within the engine
  array_by<label_counter, std::uint64_t> counts;
  histograms_by_cause histograms;

  std::uint64_t pending() const;
};

// How the shards of a set differ.
struct set_figures {
  std::uint32_t found = 0, shards = 0;  // shards whose counters can be read, and all shards
  double skew = 1;                      // runs of the busiest shard divided by the mean
  std::uint32_t busiest = 0, worst = 0;
  double worst_p99 = 0;  // of the lateness, in nanoseconds
};

// A reading of an engine. Its words were read one after the other while the engine was running, so they are not of one
// instant.
struct counters_snapshot {
  engine_identity identity;
  bool ended = false;  // the engine has ended, and nothing changes any more
  std::string gone;    // if the engine is gone without having ended, the reason, as in "process 42 is gone"
  engine_lock lock = engine_lock::none;
  std::int64_t read_at = 0;                 // CLOCK_MONOTONIC, in nanoseconds
  std::uint32_t threads = 0;                // threads whose counts are in the file
  array_by<counter, std::uint64_t> totals;  // sums over all threads
  array_by<gauge, std::int64_t> gauges;
  histograms_by_cause histograms;
  std::vector<label_snapshot> labels;
  std::uint32_t labels_left_out = 0;  // the last ones in the file, if memory ran out
  std::optional<set_figures> set;     // only if it stands for a set
  std::string last_error;             // printable; empty if no callback has thrown
  std::int64_t last_error_at = 0;     // CLOCK_MONOTONIC, in nanoseconds
  std::string stall;                  // printable; why work on top of the engine waits: "reason: sentence"
  std::uint64_t stall_waiting = 0;    // the number of timers that wait for that reason

  bool is_live() const { return !ended && gone.empty(); }
  const char* state() const { return ended ? "ended" : gone.empty() ? "live" : "gone"; }
  std::int64_t age() const;         // nanoseconds; never below zero
  std::uint64_t pending() const;    // never below zero
  std::uint64_t queued() const;     // as in engine_metrics; zero if callbacks run inline
  std::uint64_t cancelled() const;  // as in engine_metrics, including cancels of running callbacks
};

// Returns the change between two readings of one file. Totals, the gauges wakeups, record_dropped, clock_distrusted and
// let_go, histograms, and labels (matched by name) are differences, none of which is negative. Everything else is as in
// `later`. pending() and queued() of the result have no meaning.
counters_snapshot since(const counters_snapshot& later, const counters_snapshot& earlier);

std::size_t bytes_of(const histograms_by_cause& histograms);  // on the heap

const char* name_of(counter key);  // "scheduled", "started_last", ...
const char* name_of(gauge key);
const char* name_of(cause key);  // "lateness", "drain", ..., "callback"
const char* name_of(label_counter key);

// Calls `use` with each value of an enumeration that ends with count_.
template <class Key, class Use>
void for_each_key(Use use) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Key::count_); ++i) use(static_cast<Key>(i));
}

}  // namespace detent::tool
