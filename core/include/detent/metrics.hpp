// SPDX-License-Identifier: MIT
#pragma once

#include <detent/time.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace detent {

namespace detail {
class histogram_recorder;
}

// A snapshot of durations in nanoseconds. Log-linear: 128 buckets an octave, under 1 % error each.
class histogram {
 public:
  histogram() = default;
  std::uint64_t count() const noexcept { return count_; }
  // `p` is 0 to 100. Returns the smallest recorded value that p percent do not exceed; zero when empty.
  duration percentile(double p) const noexcept;
  duration(max)() const noexcept { return duration(max_); }
  duration mean() const noexcept;
  // Merges: becomes the histogram of all values that either was made from, bucket by bucket. Linear in the buckets,
  // 7,296. Throws bad_alloc, and is unchanged then.
  histogram& operator+=(const histogram& other);
  // Compares counts, buckets and maxima.
  friend bool operator==(const histogram& a, const histogram& b) noexcept { return a.equals(b); }

 private:
  friend class detail::histogram_recorder;
  bool equals(const histogram& other) const noexcept;
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  std::int64_t max_ = 0;
};

// The clock that an engine runs by.
struct clock_report {
  const char* name = "";  // "steady", "tsc" or "manual"; of merged metrics also "mixed"
  // One line: why clock_kind::automatic is the steady clock here, or why a TSC is not read any more. Else empty.
  const char* reason = "";
  // How often the TSC has disagreed with steady_clock in this process; each time steady_clock is read in its place for
  // at least a second. Causes are suspends, slews of more than 500 ppm, and a change of the kernel's clock source. Only
  // for an engine by the TSC.
  std::uint64_t distrusted = 0;
};

// An exception that a callback, on_slow or on_error threw.
struct error_report {
  std::string text;    // its what(), at most 239 bytes; empty: there was none
  time_point at = {};  // when it was caught, by steady_clock
};

// At rest: scheduled = expired + cancelled + returned + dropped + pending.
struct engine_metrics {
  // Counts of timers.
  std::uint64_t scheduled = 0;
  std::uint64_t expired = 0;    // ended by firing, or by the last of their runs
  std::uint64_t cancelled = 0;  // one-shots before they started, periodic timers also during a run
  std::uint64_t returned = 0;   // by stop() or ~engine
  std::uint64_t dropped = 0;    // one-shots that were refused, stale, or let go by an executor
  std::uint64_t pending = 0;
  // Counts of events.
  std::uint64_t fired = 0;      // runs of a callback
  std::uint64_t restarted = 0;  // also by a stop request for a coroutine that sleeps
  std::uint64_t refused = 0;    // by an executor
  std::uint64_t failed = 0;     // runs that threw
  std::uint64_t boxed = 0;      // callables too large for a node
  std::uint64_t wakeups = 0;    // returns of the worker from a sleep
  std::uint64_t drains = 0;     // of the submission queue that found something
  std::uint64_t drained = 0;    // entries taken from it
  std::uint64_t rings = 0;      // of the doorbell, by producers
  std::uint64_t backlog = 0;    // entries not yet drained, approximately
  std::uint64_t queued = 0;     // handed over to executors and not begun, also if refused and kept
  std::uint64_t retired = 0;    // nodes whose generations are used up
  std::uint64_t slow = 0;       // runs that took engine_options::slow_threshold or longer
  // Periods that no run was for: the sum of firing::missed(), and of runs that were dropped at their hand-over.
  std::uint64_t missed = 0;
  // Timers that were refused because engine_options::max_pending timers were pending. A bulk call counts each timer
  // that it leaves out.
  std::uint64_t over_capacity = 0;
  // The lateness of callbacks: start - deadline. For a run after missed periods, the deadline is that of the first of
  // them.
  histogram lateness;
  // The parts of lateness, which add up to it for each callback. Work that an executor never starts is in none of them.
  histogram late_drain;     // submitted, or drained, after its deadline
  histogram late_wait;      // the driver overslept, or was not there
  histogram late_worker;    // the driver was busy, mostly with other callbacks
  histogram late_dispatch;  // from the hand-over to the executor to the start
  // How long callbacks took.
  histogram callback;
  // Not in metrics(label).
  clock_report clock;
  error_report last_error;

  // Merges the metrics of several engines: counts and histograms add up. The clock stays if both run by the same, else
  // it is "mixed". `distrusted` is counted for the process, so the larger one stays. Of the errors the later one stays.
  // Throws bad_alloc, and is unchanged then.
  engine_metrics& operator+=(const engine_metrics& other);
};

}  // namespace detent
