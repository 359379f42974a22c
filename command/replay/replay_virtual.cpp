// SPDX-License-Identifier: MIT
#include "replay/replay_virtual.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "replay/trace_reader.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr time_point instant(std::int64_t ns) { return time_point(duration(ns)); }

class virtual_replay {
 public:
  explicit virtual_replay(wheel_kind wheel) : engine_({.manual = &clock_, .wheel = wheel}) {}

  void apply(const trace_row& row);
  void finish_rows(std::uint64_t dropped) {
    outcome_.counts.pending_at_last_row = engine_.pending();
    outcome_.counts.dropped = dropped;
  }
  void run_to_end();
  virtual_outcome& outcome() { return outcome_; }

 private:
  void advance_to(time_point now);
  void arm(const trace_row& row);
  void cancel(std::uint64_t id);
  void fired(std::uint64_t id, time_point deadline);

  virtual_outcome outcome_;
  std::unordered_map<std::uint64_t, timer> timers_;  // only those that are pending
  manual_clock clock_;
  engine engine_;
};

void virtual_replay::advance_to(time_point now) {
  clock_.advance_to(now);
  while (engine_.poll() != 0) {
  }
}

void virtual_replay::apply(const trace_row& row) {
  advance_to(instant(saturated(row.t_ns)));
  if (row.op == trace_op::cancel) cancel(row.id);
  if (row.op == trace_op::schedule || row.op == trace_op::restart) arm(row);
  ++outcome_.counts.rows;
  outcome_.counts.span_ns = row.t_ns;
  outcome_.pending.add(row.t_ns, timers_.size());
}

void virtual_replay::arm(const trace_row& row) {
  const time_point deadline = instant(deadline_of(row));
  timer& known = timers_[row.id];
  if (known.restart_at(deadline)) {
    ++outcome_.counts.restarted;
    return;
  }
  known = engine_.schedule_at(deadline, [this, id = row.id](firing& now) { fired(id, now.deadline()); });
  ++outcome_.counts.scheduled;
}

void virtual_replay::cancel(std::uint64_t id) {
  const auto known = timers_.find(id);
  if (known != timers_.end() && known->second.cancel() == cancel_result::cancelled) {
    ++outcome_.counts.cancelled;
    timers_.erase(known);
  } else {
    ++outcome_.counts.late_cancels;
  }
}

void virtual_replay::fired(std::uint64_t id, time_point deadline) {
  constexpr std::uint64_t multiplier = 1099511628211U;
  const auto deadline_ns = static_cast<std::uint64_t>(deadline.time_since_epoch().count());
  outcome_.order_signature = outcome_.order_signature * multiplier + (id ^ deadline_ns);
  ++outcome_.counts.fired;
  timers_.erase(id);
}

void virtual_replay::run_to_end() {
  std::optional<time_point> last;
  while (engine_.pending() != 0) {
    const std::uint64_t fired_before = outcome_.counts.fired;
    const std::optional<time_point> next = engine_.next_deadline();
    if (next) advance_to(*next);
    if (outcome_.counts.fired == fired_before && next == last) {
      throw std::logic_error(fmt::format("the engine has {} timers pending and will not fire them", engine_.pending()));
    }
    last = next;
  }
}

}  // namespace

virtual_outcome replay_virtual(const virtual_options& options) {
  const time_point began = clock::now();
  const std::time_t started = std::time(nullptr);
  trace_reader reader(options.trace);
  virtual_replay replay(options.wheel);
  progress_line progress;
  time_point next_progress = began + std::chrono::milliseconds(100);
  constexpr std::uint64_t rows_between_looks = 4096;

  trace_row row;
  while (reader.next(row)) {
    replay.apply(row);
    const replay_counts& counts = replay.outcome().counts;
    if (counts.rows % rows_between_looks == 0 && progress.visible() && clock::now() >= next_progress) {
      progress.show(fmt::format("{} rows, {} of trace time, {} fired", count_text(counts.rows),
                                time_text(static_cast<double>(row.t_ns)), count_text(counts.fired)));
      next_progress = clock::now() + std::chrono::milliseconds(100);
    }
  }
  replay.finish_rows(reader.dropped());
  if (options.to_end) replay.run_to_end();
  virtual_outcome outcome = replay.outcome();
  outcome.began = started;
  outcome.wall_seconds = std::chrono::duration<double>(clock::now() - began).count();
  return outcome;
}

}  // namespace detent::tool
