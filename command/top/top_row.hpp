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
  std::optional<std::int64_t> worker_cpu;  // nanoseconds used by the worker's thread so far
  driver_evidence driver = {};             // not visible where no witness was asked
};

// The figures of one histogram, in nanoseconds.
struct time_figures {
  std::uint64_t count = 0;
  double p50 = 0, p90 = 0, p99 = 0, p999 = 0, most = 0;
  double sum = 0;
};
using figures_by_cause = array_by<cause, time_figures>;

struct top_label {
  std::string name;
  double scheduled = 0, fired = 0, missed = 0;  // a second
  std::uint64_t pending = 0;
  figures_by_cause times;
};

struct top_row {
  engine_identity identity;
  double age = 0;                   // nanoseconds since the engine was made
  array_by<counter, double> rates;  // a second; cancelled includes those cancelled while running
  double wakeups = 0;               // a second
  std::uint64_t pending = 0;
  std::int64_t backlog = 0;
  std::optional<std::uint64_t> queued;  // on its executors, not begun; none: it runs all inline, so far
  std::optional<double> margin;         // nanoseconds; only the hybrid wait has one
  std::optional<double> cpu;            // of the worker: 1.0 is one CPU all the time; none: driven by a caller
  figures_by_cause times;
  lateness_diagnosis why;  // timers are late
  // Since the engine was made: what should be none.
  std::uint64_t refused = 0, dropped = 0, failed = 0, slow = 0, missed = 0, over_capacity = 0;
  std::uint64_t lost_records = 0, clock_distrusted = 0;
  std::string last_error;                   // of a callback; empty: none
  double last_error_age = 0;                // nanoseconds
  std::string stall;                        // why work on top of the engine waits; empty: none does
  std::optional<set_figures> set;           // of a row that stands for a set
  std::vector<top_label> labels;            // the latest p99 first
  std::uint32_t labels_left_out = 0;        // besides them: no memory was spent on their figures
  std::vector<std::optional<double>> p99s;  // of lateness, an interval each, the latest last; none: nothing fired
};

time_figures figures_of(const counters_histogram& histogram);
// The part with the largest share of all lateness, see share_of(); none if no timer was late.
std::optional<cause> main_cause(const figures_by_cause& times);
// The share of all lateness that a cause made, 0 to 1.
double share_of(const figures_by_cause& times, cause part);
// Between two readings, or over the engine's whole life if there is no `earlier` one. Leaves p99s empty.
top_row row_of(const engine_reading& later, const engine_reading* earlier);
// A set's, from the readings of its shards, in their order; `earlier` has as many, or none. The CPU is that of the
// worker that uses most, which is the first to be the limit. Leaves p99s empty.
top_row row_of_set(const std::vector<const engine_reading*>& later, const std::vector<const engine_reading*>& earlier);
// Advice about a worker that is the limit: it uses more than 60 % of a CPU without a busy wait. The text is
// empty if the row does not show that.
std::string advice_of(const top_row& row);
// Whether the timers of the row are so late that it is worth a line: 1 % of them by more than 100 us, or periods were
// missed.
bool is_late(const top_row& row);

}  // namespace detent::tool
