// SPDX-License-Identifier: MIT
// The figures that `detent top` shows of one engine, from two readings of its counters.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/counters_set.hpp"
#include "counters/counters_snapshot.hpp"
#include "lateness/lateness_diagnosis.hpp"

namespace detent::tool {

struct engine_reading {
  counters_snapshot snapshot;
  std::optional<std::int64_t> worker_cpu;  // nanoseconds that the worker's thread has used so far
  driver_evidence driver = {};             // not visible if no witness was asked
};

// The figures of a histogram, in nanoseconds.
struct time_figures {
  std::uint64_t count = 0;
  double p50 = 0, p90 = 0, p99 = 0, p999 = 0, most = 0;
  double sum = 0;
};
using figures_by_cause = array_by<cause, time_figures>;

struct top_label {
  std::string name;
  double scheduled = 0, fired = 0, missed = 0;  // per second
  std::uint64_t pending = 0;
  figures_by_cause times;
};

struct top_row {
  engine_identity identity;
  double age = 0;                   // nanoseconds since the engine was made
  array_by<counter, double> rates;  // per second; cancelled includes those cancelled while running
  double wakeups = 0;               // per second
  std::uint64_t pending = 0;
  std::int64_t backlog = 0;
  std::optional<std::uint64_t> queued;  // waiting on executors; empty as long as everything has run inline
  std::optional<double> margin;         // nanoseconds; only for the hybrid wait
  std::optional<double> cpu;            // of the worker, 1.0 for a whole CPU; empty if a caller drives the engine
  figures_by_cause times;
  lateness_diagnosis why;  // the reason why timers are late
  // For how many nanoseconds the earliest timer has been due, if that is a second or more and none has run since the
  // last reading; else 0.
  double overdue = 0;
  lateness_diagnosis why_overdue;  // as of the later reading, even if some have run since the earlier one
  // Counts since the engine was made that should be zero:
  std::uint64_t refused = 0, dropped = 0, failed = 0, slow = 0, missed = 0, over_capacity = 0;
  std::uint64_t lost_records = 0, clock_distrusted = 0;
  std::string last_error;                   // a callback's; empty if there was none
  double last_error_age = 0;                // nanoseconds
  std::string stall;                        // why work on top of the engine waits, or empty
  std::optional<set_figures> set;           // if the row stands for a set
  std::vector<top_label> labels;            // largest p99 first
  std::uint32_t labels_left_out = 0;        // labels whose figures were not read, to save memory
  std::vector<std::optional<double>> p99s;  // of the lateness in each interval, the latest last; empty if nothing fired
};

time_figures figures_of(const counters_histogram& histogram);
// Returns the part with the largest share of all lateness (see share_of()), or nothing if no timer was late.
std::optional<cause> main_cause(const figures_by_cause& times);
// Returns a cause's share of all lateness, from 0 to 1.
double share_of(const figures_by_cause& times, cause part);
// Makes a row for the time between two readings, or for the engine's whole life without an `earlier` one. Leaves p99s
// empty.
top_row row_of(const engine_reading& later, const engine_reading* earlier);
// Makes a set's row from the readings of its shards, in order. `earlier` has as many readings, or none. The CPU is that
// of the busiest worker, which will be the bottleneck first. Leaves p99s empty.
top_row row_of_set(const std::vector<const engine_reading*>& later, const std::vector<const engine_reading*>& earlier);
// Returns advice about a worker that is the bottleneck: it uses more than 60 % of a CPU without a busy wait. Empty if
// the row does not show that.
std::string advice_of(const top_row& row);
// Returns whether the row's timers are late enough for a line: more than 1 % of them are late by more than 100 us, or
// periods were missed.
bool is_late(const top_row& row);

}  // namespace detent::tool
