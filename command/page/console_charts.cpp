// SPDX-License-Identifier: MIT
#include "page/console_charts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "page/console_html.hpp"
#include "report/chart_figure.hpp"
#include "text/compact_units.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr plot_size small_plot = {"small", 400, 176, 62, 12, 10, 26, 6.8};
constexpr int first_series = 1, dotted_series = 2, dashed_series = 3, second_series = 8;
constexpr int steps = 60;  // into which a window is divided

using samples = std::span<const console_sample>;
// The value of a sample that a curve shows. Without a value, the curve has a gap.
using value_of = std::function<std::optional<double>(const console_sample&)>;

double seconds_between(console_time from, console_time to) { return std::chrono::duration<double>(to - from).count(); }

console_time begin_of(console_time now, double window) {
  return now - std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::duration<double>(window));
}

std::string clock_text(console_time at) {
  return fmt::format("{:%H:%M:%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(at)));
}

// Marks seconds since `from` at round times of the day, UTC.
plot_scale clock_scale(console_time from, double window) {
  constexpr int round_steps[] = {5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400};
  const int* const step =
      std::find_if(std::begin(round_steps), std::end(round_steps) - 1, [=](int each) { return window / each <= 6; });
  plot_scale scale{.title = "",
                   .position = [window](double seconds) { return std::clamp(seconds / window, 0.0, 1.0); },
                   .marks = {},
                   .ruled = true};
  const auto first = std::chrono::floor<std::chrono::seconds>(from).time_since_epoch().count() / *step + 1;
  for (auto each = first * *step; true; each += *step) {
    const console_time at{std::chrono::seconds(each)};
    const double seconds = seconds_between(from, at);
    if (seconds > window) break;
    const std::string text = clock_text(at);
    scale.marks.push_back({seconds / window, *step % 60 == 0 ? text.substr(0, 5) : text});
  }
  return scale;
}

// Returns the curve in pieces. A piece ends where a sample is missing or has no value.
std::vector<svg_plot::points> pieces_of(samples history, console_time from, const value_of& value) {
  std::vector<svg_plot::points> pieces;
  double end = -1;
  for (const console_sample& each : history) {
    const double at = seconds_between(from, each.at);
    const auto here = value(each);
    if (!here || at < 0) {
      end = -1;
      continue;
    }
    const bool joined = end >= 0 && at - each.seconds < end + each.seconds / 2;
    if (!joined) pieces.push_back({{std::max(at - each.seconds, 0.0), *here}});
    pieces.back().emplace_back(at, *here);
    end = at;
  }
  return pieces;
}

std::optional<double> largest(samples history, const value_of& value) {
  std::optional<double> most;
  for (const console_sample& each : history)
    if (const auto here = value(each)) most = std::max(most.value_or(*here), *here);
  return most;
}

// Calls use(begin, end, samples) for each step of the window that has samples, in seconds since `from`.
template <class Use>
void for_each_step(samples history, console_time from, double window, Use use) {
  const double width = window / steps;
  const auto step_of = [&](const console_sample& its) {
    const double at = seconds_between(from, its.at);
    return at < 0 || at > window ? -1 : std::min(static_cast<int>(at / width), steps - 1);
  };
  for (std::size_t first = 0, last = 0; first < history.size(); first = last) {
    const int step = step_of(history[first]);
    while (last < history.size() && step_of(history[last]) == step) ++last;
    if (step >= 0) use(step * width, (step + 1) * width, history.subspan(first, last - first));
  }
}

struct curve {
  int series;
  const char* name;
  value_of value;
};

// The curves of a chart, the first of them on top, and what they have in common.
struct curves {
  std::vector<curve> all;
  std::string (*text)(double value);
  bool filled = false;

  std::string text_of(const std::optional<double>& value) const { return value ? text(*value) : "-"; }
  // Returns a text such as "p50 1 us, p99 2 us".
  template <class Value>
  std::string list(Value value) const {
    std::string out;
    for (const curve& each : all)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", each.name, text_of(value(each)));
    return out;
  }
};

std::string figure(const char* title, const curves& of, plot_scale y, samples history, console_time now,
                   double window) {
  const console_time from = begin_of(now, window);
  std::vector<chart::entry> legend;
  for (const curve& each : of.all) {
    const auto last = history.empty() ? std::nullopt : each.value(history.back());
    legend.push_back({each.series, chart::mark::line, fmt::format("{} {}", each.name, of.text_of(last))});
  }
  const std::string most = of.list([&](const curve& each) { return largest(history, each.value); });
  return figure_of({.title = title,
                    .caption = "",
                    .description = fmt::format("At most, in the last {}: {}.", span_text(window), most),
                    .x = clock_scale(from, window),
                    .y = std::move(y),
                    .legend = legend,
                    .draw =
                        [&](svg_plot& plot) {
                          for (auto each = of.all.rbegin(); each != of.all.rend(); ++each) {
                            for (const svg_plot::points& piece : pieces_of(history, from, each->value)) {
                              if (of.filled) plot.area(each->series, piece);
                              plot.line(each->series, piece);
                            }
                          }
                          for_each_step(history, from, window, [&](double begin, double end, samples inside) {
                            plot.hint(
                                begin, end,
                                fmt::format("up to {} UTC, at most: {}", clock_text(inside.back().at),
                                            of.list([&](const curve& each) { return largest(inside, each.value); })));
                          });
                        },
                    .sizes = {small_plot}});
}

std::optional<double> p99_of(const console_sample& its) { return its.p99; }

// The least and the largest p99, in nanoseconds. Differences of a few nanoseconds mean nothing.
struct extent {
  double least = std::numeric_limits<double>::max(), most = 0;
};
extent extent_of(samples history) {
  extent its;
  for (const console_sample& each : history) {
    if (!each.p99) continue;
    its.least = std::min(its.least, std::max(*each.p99, 10.0));
    its.most = std::max(its.most, std::max(*each.p99, 10.0));
  }
  return its;
}

}  // namespace

std::string engine_charts(const std::vector<console_sample>& history, console_time now, double window) {
  const curves lateness = {{{first_series, "p99", [](const console_sample& its) { return its.p99; }},
                            {second_series, "p50", [](const console_sample& its) { return its.p50; }},
                            {dotted_series, "max", [](const console_sample& its) { return its.most; }}},
                           time_text};
  const curves rates = {{{first_series, "fired", [](const console_sample& its) { return its.fired; }},
                         {dashed_series, "scheduled", [](const console_sample& its) { return its.scheduled; }},
                         {dotted_series, "cancelled", [](const console_sample& its) { return its.cancelled; }}},
                        compact_count};
  const curves pending = {
      {{first_series, "pending", [](const console_sample& its) { return static_cast<double>(its.pending); }}},
      compact_count,
      true};
  double least = std::numeric_limits<double>::max();
  for (const console_sample& each : history) least = std::min(least, each.p50.value_or(least));
  const auto most = [&](const curves& of) {
    double all = 0;
    for (const curve& each : of.all) all = std::max(all, largest(history, each.value).value_or(0));
    return all;
  };
  const double latest = most(lateness);
  const plot_scale late_by =
      latest > 0 ? log_time_scale("", std::max(least, 10.0), latest) : log_time_scale("", 1e3, 1e6);
  return "<div class=\"charts\">\n" + figure("Lateness, log scale", lateness, late_by, history, now, window) +
         figure("Timers a second", rates, linear_count_scale("", most(rates)), history, now, window) +
         figure("Pending", pending, linear_count_scale("", most(pending)), history, now, window) + "</div>\n";
}

trend_lines::trend_lines(const std::vector<console_engine>& engines, console_time now, double window)
    : now_(now), window_(window) {
  const auto look = [&](samples history) {
    const extent its = extent_of(history);
    if (its.most > 0) decades_ = std::max(decades_, std::log10(its.most / its.least));
  };
  for (const console_engine& each : engines) {
    look(each.history);
    for (const console_engine& shard : each.shards) look(shard.history);
  }
}

std::string trend_lines::of(const console_engine& engine) const {
  constexpr double width = 120, height = 20, margin = 1.5;
  const extent its = extent_of(engine.history);
  const console_time from = begin_of(now_, window_);
  std::string path;
  double end = -1;
  for_each_step(engine.history, from, window_, [&](double begin, double until, samples inside) {
    const auto value = largest(inside, p99_of);
    if (!value) return;
    const double high = std::clamp(std::log10(std::max(*value, 10.0) / its.least) / decades_, 0.0, 1.0);
    const double x = (begin + until) / 2 / window_ * width, y = height - margin - high * (height - 2 * margin);
    // A single step is a dot.
    path += begin > end + 1e-6 ? fmt::format("M{:.1f} {:.1f}h.1", x, y) : fmt::format("L{:.1f} {:.1f}", x, y);
    end = until;
  });
  const std::string words =
      its.most > 0 ? fmt::format("p99 from {} to {}", time_text(its.least), time_text(its.most)) : "nothing fired";
  return fmt::format(
      "<svg class=\"trend\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"><title>{}</title><path class=\"line "
      "series1\" d=\"{}\"/></svg>",
      width, height, words, words, path);
}

}  // namespace detent::tool
