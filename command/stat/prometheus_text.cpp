// SPDX-License-Identifier: MIT
#include "stat/prometheus_text.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

namespace detent::tool {
namespace {

// Upper bounds of the buckets in nanoseconds: 1, 2.5 and 5 in each decade from 100 ns to 10 s.
constexpr auto bounds = [] {
  std::array<std::int64_t, 25> made = {};
  std::size_t i = 0;
  for (std::int64_t decade = 100; decade < 10'000'000'000; decade *= 10) {
    for (const std::int64_t tenths : {10, 25, 50}) made[i++] = decade / 10 * tenths;
  }
  made[i] = 10'000'000'000;
  return made;
}();

double seconds(duration d) { return static_cast<double>(d.count()) / 1e9; }

// A metric family: its samples stand together, after its type and its help.
class family {
 public:
  family(std::string& out, std::string_view name, std::string_view type, std::string_view help)
      : out_(out), name_(name) {
    fmt::format_to(std::back_inserter(out_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class Value>
  void sample(std::string_view labels, Value value, std::string_view suffix = "") {
    fmt::format_to(std::back_inserter(out_), "{}{}{{{}}} {}\n", name_, suffix, labels, value);
  }
  void sample(const std::string& labels, const counters_histogram& histogram) {
    for (const std::int64_t bound : bounds) {
      sample(fmt::format("{},le=\"{}\"", labels, seconds(duration(bound))), histogram.count_up_to(duration(bound)),
             "_bucket");
    }
    sample(labels + ",le=\"+Inf\"", histogram.count(), "_bucket");
    sample(labels, seconds(histogram.sum()), "_sum");
    sample(labels, histogram.count(), "_count");
  }

 private:
  std::string& out_;
  std::string_view name_;
};

struct engine_series {
  const counters_snapshot& engine;
  std::string labels;  // the labels of each series, which stay the same when the process is restarted
};

struct counter_family {
  counter key;
  const char *name, *help;
};
constexpr counter_family counter_families[] = {
    {counter::scheduled, "detent_timers_scheduled_total", "Timers scheduled."},
    {counter::expired, "detent_timers_expired_total", "Timers ended by firing, or by the last of their runs."},
    {counter::returned, "detent_timers_given_back_total", "Timers that were pending when the engine stopped."},
    {counter::dropped, "detent_timers_dropped_total", "Timers refused, stale, or let go by an executor."},
    {counter::over_capacity, "detent_timers_over_capacity_total",
     "Timers refused because as many as the limit allows were pending."},
    {counter::restarted, "detent_timers_restarted_total", "Restarts of timers."},
    {counter::boxed, "detent_timers_boxed_total", "Callables too large for a timer's node."},
    {counter::fired, "detent_callbacks_fired_total", "Runs of a callback."},
    {counter::failed, "detent_callbacks_failed_total", "Runs of a callback that threw."},
    {counter::slow, "detent_callbacks_slow_total", "Runs of a callback that took the slow threshold or longer."},
    {counter::missed, "detent_periods_missed_total", "Periods of fixed-rate timers that no run was for."},
    {counter::refused, "detent_executor_refused_total", "Callbacks that the executor refused."},
    {counter::drains, "detent_queue_passes_total", "Drains of the submission queue that found something."},
    {counter::drained, "detent_queue_taken_up_total", "Entries taken from the submission queue."},
    {counter::rings, "detent_worker_wakeups_requested_total", "Rings by producers, whether or not the driver slept."},
    {counter::retired, "detent_nodes_retired_total", "Timer nodes whose generations are used up."},
};

struct gauge_family {
  gauge key;
  const char *name, *type, *help;
};
constexpr gauge_family gauge_families[] = {
    {gauge::wakeups, "detent_worker_wakeups_total", "counter", "Returns of the worker from a sleep."},
    {gauge::record_dropped, "detent_record_dropped_total", "counter", "Operations that the recording has lost."},
    {gauge::clock_distrusted, "detent_clock_distrusted_total", "counter",
     "How often the TSC disagreed with the steady clock."},
    {gauge::backlog, "detent_queue_backlog", "gauge", "Entries of the submission queue not yet drained."},
    {gauge::retries, "detent_executor_retries", "gauge", "Refused callbacks that wait to be offered again."},
    {gauge::hidden_threads, "detent_hidden_threads", "gauge", "Threads whose counts have no room in the file."},
};

struct label_family {
  label_counter key;
  const char *name, *help;
};
constexpr label_family label_families[] = {
    {label_counter::scheduled, "detent_label_scheduled_total", "Timers scheduled under a label."},
    {label_counter::expired, "detent_label_expired_total", "Timers under a label that ended by firing."},
    {label_counter::cancelled, "detent_label_cancelled_total", "Timers under a label that were cancelled."},
    {label_counter::returned, "detent_label_given_back_total", "Timers under a label pending when the engine stopped."},
    {label_counter::dropped, "detent_label_dropped_total", "Timers under a label refused, stale, or let go."},
    {label_counter::restarted, "detent_label_restarted_total", "Restarts of timers under a label."},
    {label_counter::fired, "detent_label_fired_total", "Runs of a callback under a label."},
    {label_counter::failed, "detent_label_failed_total", "Runs of a callback under a label that threw."},
    {label_counter::missed, "detent_label_periods_missed_total", "Periods under a label that no run was for."},
};

class exposition {
 public:
  exposition(const std::vector<counters_snapshot>& engines, series_names& names) {
    // Adds the complaints as comments, for people who read the page.
    names.note(engines);
    for (const std::string& each : names.complaints()) out_ += fmt::format("# NOTE {}\n", each);
    for (const counters_snapshot& engine : engines) series_.push_back({engine, names.labels_of(engine.identity)});
  }

  std::string text() {
    if (series_.empty()) return "";
    state();
    totals();
    lateness();
    labels();
    return std::move(out_);
  }

 private:
  family begin(std::string_view name, std::string_view type, std::string_view help) {
    return family(out_, name, type, help);
  }
  // Adds one sample for each engine.
  template <class Value>
  void each_engine(std::string_view name, std::string_view type, std::string_view help, Value value) {
    family made = begin(name, type, help);
    for (const engine_series& each : series_) made.sample(each.labels, value(each.engine));
  }
  // Adds one sample for each label of each engine.
  template <class Value>
  void each_label(std::string_view name, std::string_view type, std::string_view help, Value value) {
    family made = begin(name, type, help);
    for (const engine_series& each : series_) {
      for (const label_snapshot& one : each.engine.labels) {
        made.sample(each.labels + "," + prometheus_label("label", one.name), value(one));
      }
    }
  }

  void state();
  void stalls();
  void totals();
  void lateness();
  void labels();

  std::vector<engine_series> series_;
  std::string out_;
};

void exposition::state() {
  family info = begin("detent_engine_info", "gauge", "What the engine is made of; always 1.");
  for (const auto& [engine, labels] : series_) {
    const engine_identity& who = engine.identity;
    info.sample(fmt::format("{},{},{},{},{},{},{},{}", labels, prometheus_label("pid", std::to_string(who.process)),
                            prometheus_label("file", who.path), prometheus_label("wheel", who.wheel),
                            prometheus_label("wait", who.wait), prometheus_label("drive", who.drive),
                            prometheus_label("clock", who.clock), prometheus_label("clock_reason", who.clock_reason)),
                1);
  }
  each_engine("detent_engine_live", "gauge", "1 while the engine runs, 0 once it has ended or its process is gone.",
              [](const counters_snapshot& engine) { return engine.is_live() ? 1 : 0; });
  each_engine("detent_timers_pending", "gauge", "Timers pending.",
              [](const counters_snapshot& engine) { return engine.pending(); });
  each_engine("detent_executor_queued", "gauge", "Callbacks that executors have and have not begun.",
              [](const counters_snapshot& engine) { return engine.queued(); });
  each_engine("detent_timers_capacity", "gauge", "Most timers that may be pending; 0: no limit.",
              [](const counters_snapshot& engine) { return engine.identity.capacity; });
  stalls();
  each_engine("detent_worker_spin_window_seconds", "gauge",
              "How long before a deadline the hybrid wait stops sleeping.",
              [](const counters_snapshot& engine) { return seconds(duration(engine.gauges[gauge::margin])); });
}

// The sentence is not a label, because each new figure in it would make a series of its own.
void exposition::stalls() {
  family made = begin("detent_stalled", "gauge", "1 while work on top of the engine waits, and why.");
  for (const auto& [engine, labels] : series_) {
    const std::string reason = engine.stall.substr(0, engine.stall.find(':'));
    made.sample(labels + "," + prometheus_label("reason", reason.empty() ? "none" : reason), reason.empty() ? 0 : 1);
  }
  each_engine("detent_stalled_work", "gauge", "How much work waits, such as stored timers.",
              [](const counters_snapshot& engine) { return engine.stall_waiting; });
}

void exposition::totals() {
  each_engine("detent_timers_cancelled_total", "counter", "Timers cancelled; of those running periodic ones.",
              [](const counters_snapshot& engine) { return engine.cancelled(); });
  for (const counter_family& family : counter_families) {
    each_engine(family.name, "counter", family.help,
                [&family](const counters_snapshot& engine) { return engine.totals[family.key]; });
  }
  for (const gauge_family& family : gauge_families) {
    each_engine(family.name, family.type, family.help,
                [&family](const counters_snapshot& engine) { return engine.gauges[family.key]; });
  }
}

void exposition::lateness() {
  const auto of = [](cause key) {
    return [key](const counters_snapshot& engine) -> const counters_histogram& { return engine.histograms[key]; };
  };
  each_engine("detent_lateness_seconds", "histogram", "Start of a callback after its deadline.", of(cause::lateness));
  each_engine("detent_callback_seconds", "histogram", "How long callbacks took.", of(cause::callback));
  family parts = begin("detent_lateness_cause_seconds", "histogram", "The lateness of callbacks, split by its cause.");
  for (const auto& [engine, labels] : series_) {
    for (const cause part : {cause::drain, cause::wait, cause::worker, cause::dispatch}) {
      parts.sample(labels + "," + prometheus_label("cause", name_of(part)), engine.histograms[part]);
    }
  }
}

void exposition::labels() {
  for (const label_family& family : label_families) {
    each_label(family.name, "counter", family.help,
               [&family](const label_snapshot& one) { return one.counts[family.key]; });
  }
  each_label("detent_label_pending", "gauge", "Timers pending under a label.",
             [](const label_snapshot& one) { return one.pending(); });
  const auto of = [](cause key) {
    return [key](const label_snapshot& one) -> const counters_histogram& { return one.histograms[key]; };
  };
  each_label("detent_label_lateness_seconds", "histogram", "Start of a callback under a label after its deadline.",
             of(cause::lateness));
  each_label("detent_label_callback_seconds", "histogram", "How long callbacks under a label took.",
             of(cause::callback));
}

}  // namespace

std::string prometheus_text(const std::vector<counters_snapshot>& engines) {
  series_names names;
  return prometheus_text(engines, names);
}

std::string prometheus_text(const std::vector<counters_snapshot>& engines, series_names& names) {
  return exposition(engines, names).text();
}

}  // namespace detent::tool
