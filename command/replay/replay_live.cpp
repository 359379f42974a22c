// SPDX-License-Identifier: MIT
#include "replay/replay_live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "doctor/doctor.hpp"
#include "lateness/lateness_probe.hpp"
#include "lateness/precise_wait.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr duration head_start = std::chrono::milliseconds(20);

class live_replay {
 public:
  live_replay(const live_options& options, const live_trace& trace);

  void apply_rows();
  void wait_for_the_rest();
  void finish(live_outcome& outcome);
  std::string progress_text() const;  // any thread

 private:
  void apply(const live_trace::row& row);
  void arm(const live_trace::row& row);
  void sample_pending(time_point now);
  // A deadline beyond the end of engine time means that end.
  time_point instant(std::int64_t since_start) const {
    return since_start > (time_point::max() - start_).count() ? time_point::max() : start_ + duration(since_start);
  }

  const live_trace& trace_;
  const bool to_end_;
  lateness_probe probe_;
  std::vector<timer> timers_;
  replay_counts counts_;
  lateness_log row_lateness_;
  std::uint64_t rows_late_ = 0;
  pending_series pending_;
  engine engine_;
  cpu_usage cpu_;
  host_watch doctor_;
  time_point start_;
  duration sample_every_;
  time_point next_sample_;
};

live_replay::live_replay(const live_options& options, const live_trace& trace)
    : trace_(trace),
      to_end_(options.to_end),
      timers_(trace.timers),
      engine_({.name = "detent-replay", .wait = options.wait, .wheel = options.wheel}),
      cpu_(engine_),
      doctor_({.wait = options.wait.mode, .thread = cpu_.worker_thread()}),
      start_(clock::now() + head_start),
      sample_every_(trace.rows.empty() ? duration(1) : duration(trace.rows.back().at_ns / 500 + 1)),
      next_sample_(start_) {
  probe_.begin(start_, trace.rows.empty() ? duration(0) : duration(trace.rows.back().at_ns));
}

void live_replay::apply_rows() {
  for (const live_trace::row& row : trace_.rows) {
    const time_point due = instant(row.at_ns);
    const time_point now = wait_until(due);
    row_lateness_.record((now - due).count());
    if (now - due > row_late_after) ++rows_late_;
    apply(row);
    if (now >= next_sample_) sample_pending(now);
  }
  counts_.rows = trace_.rows.size();
  counts_.span_ns = trace_.span_ns;
  counts_.dropped = trace_.dropped;
  counts_.pending_at_last_row = engine_.pending();
}

void live_replay::apply(const live_trace::row& row) {
  switch (row.op) {
    case trace_op::schedule:
    case trace_op::restart: arm(row); break;
    case trace_op::cancel:
      ++(timers_[row.timer].cancel() == cancel_result::cancelled ? counts_.cancelled : counts_.late_cancels);
      break;
    case trace_op::expired: break;
  }
}

void live_replay::arm(const live_trace::row& row) {
  const time_point deadline = instant(row.deadline_ns);
  timer& known = timers_[row.timer];
  if (known.restart_at(deadline)) {
    ++counts_.restarted;
    return;
  }
  known = engine_.schedule_at(deadline, [this](firing& now) { probe_.note(now.deadline()); });
  ++counts_.scheduled;
}

void live_replay::sample_pending(time_point now) {
  pending_.add(static_cast<std::uint64_t>(std::max<std::int64_t>((now - start_).count(), 0)), engine_.pending());
  next_sample_ = now + sample_every_;
}

void live_replay::wait_for_the_rest() {
  while (engine_.pending() != 0) {
    sample_pending(clock::now());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void live_replay::finish(live_outcome& outcome) {
  sample_pending(clock::now());
  outcome.cpu = cpu_.read();
  doctor_.look();
  outcome.findings = doctor_.findings();
  outcome.evidence = doctor_.evidence();
  const std::size_t left = engine_.stop().size();
  if (!to_end_) counts_.pending_at_last_row = left;  // since the row itself more may have fired, which counts as fired
  outcome.metrics = engine_.metrics();
  counts_.fired = probe_.lateness().count();
  outcome.counts = counts_;
  outcome.rows_late = rows_late_;
  outcome.fired_early = probe_.early();
  outcome.row_lateness = row_lateness_;
  outcome.lateness = probe_.lateness();
  outcome.over_time = probe_.over_time();
  outcome.pending = pending_;
}

std::string live_replay::progress_text() const {
  const auto elapsed = static_cast<double>((clock::now() - start_).count());
  const auto whole = trace_.rows.empty() ? 0 : static_cast<double>(trace_.rows.back().at_ns);
  const std::string place =
      elapsed < whole ? fmt::format("replaying: {} of {}", time_text(std::max(elapsed, 0.0)), time_text(whole))
                      : fmt::format("after the last row: {}", time_text(elapsed - whole));
  const engine_metrics metrics = engine_.metrics();
  return fmt::format("{}, {} fired, {} pending", place, count_text(metrics.fired), count_text(metrics.pending));
}

}  // namespace

live_outcome replay_live(const live_options& options) {
  return replay_live(options, load_live_trace(options.trace, options.speed));
}

live_outcome replay_live(const live_options& options, const live_trace& trace) {
  live_outcome outcome;
  outcome.began = std::time(nullptr);
  outcome.floor.measure();
  live_replay replay(options, trace);
  {
    const background_progress progress([&replay] { return replay.progress_text(); });
    replay.apply_rows();
    if (options.to_end) replay.wait_for_the_rest();
  }
  replay.finish(outcome);
  outcome.floor.measure();
  return outcome;
}

}  // namespace detent::tool
