// SPDX-License-Identifier: MIT
// The plots of a report that follow a run from its start to its end.
#include <fmt/format.h>

#include <algorithm>

#include "report/chart_figure.hpp"
#include "report/report_charts.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr int p99_series = 1, p50_series = 8, max_series = 9, pending_series_number = 1;
constexpr const char* time_title = "time since the start";

double as_number(std::uint64_t value) { return static_cast<double>(value); }
double as_number(std::int64_t value) { return static_cast<double>(value); }
std::string text_of(std::int64_t ns) { return time_text(as_number(ns)); }

using all_points = std::vector<lateness_series::point>;

// Follows the steps, with a gap where nothing fired.
void draw_steps(svg_plot& plot, int series, const all_points& steps, std::uint64_t width,
                std::int64_t lateness_series::point::*value) {
  svg_plot::points run;
  for (const auto& each : steps) {
    const double from = as_number(each.t_ns);
    if (!run.empty() && run.back().first < from) {
      plot.line(series, run);
      run.clear();
    }
    run.emplace_back(from, as_number(each.*value));
    run.emplace_back(from + as_number(width), as_number(each.*value));
  }
  plot.line(series, run);
}

}  // namespace

std::string lateness_over_time(const lateness_series& lateness, std::uint64_t end_ns) {
  const all_points steps = lateness.points();
  const std::uint64_t width = lateness.step_ns();
  const auto worst = std::max_element(steps.begin(), steps.end(), [](auto& a, auto& b) { return a.max < b.max; });
  std::int64_t least = worst->max;
  for (const auto& each : steps) least = std::min(least, each.p50);
  return figure_of(
      {.title = "Lateness over time",
       .caption =
           fmt::format("In each step of {} of the run in which a timer fired: the median, the 99th percentile and "
                       "the maximum of its timers.",
                       time_text(as_number(width))),
       .description = fmt::format("The latest timer was {} late, in the step that began {} after the start.",
                                  text_of(worst->max), time_text(as_number(worst->t_ns))),
       .x = linear_time_scale(time_title, as_number(end_ns)),
       .y = log_time_scale("lateness, log scale", std::max(as_number(least), 10.0), as_number(worst->max)),
       .legend = {{max_series, chart::mark::bar, "max"},
                  {p99_series, chart::mark::line, "p99"},
                  {p50_series, chart::mark::line, "p50"}},
       .draw = [&](svg_plot& plot) {
         for (const auto& each : steps) {
           plot.bar(max_series, as_number(each.t_ns), as_number(each.t_ns + width), as_number(each.max),
                    fmt::format("from {}: {} timers, p50 {}, p99 {}, max {}", time_text(as_number(each.t_ns)),
                                count_text(each.count), text_of(each.p50), text_of(each.p99), text_of(each.max)));
         }
         draw_steps(plot, p50_series, steps, width, &lateness_series::point::p50);
         draw_steps(plot, p99_series, steps, width, &lateness_series::point::p99);
       }});
}

std::string pending_over_time(const pending_series& pending, std::uint64_t end_ns) {
  svg_plot::points curve;
  for (const auto& [t_ns, count] : pending.points()) curve.emplace_back(as_number(t_ns), as_number(count));
  if (!curve.empty()) curve.emplace_back(as_number(pending.end_ns()), curve.back().second);
  return figure_of({.title = "Pending timers over time",
                    .caption = fmt::format("Armed, and neither fired nor cancelled yet: the most in each step of {}.",
                                           time_text(as_number(pending.step_ns()))),
                    .description = fmt::format("At most {} timers were pending.", count_text(pending.highest())),
                    .x = linear_time_scale(time_title, as_number(end_ns)),
                    .y = linear_count_scale("timers pending", as_number(pending.highest())),
                    .legend = {{pending_series_number, chart::mark::line, "timers pending"}},
                    .draw =
                        [&](svg_plot& plot) {
                          plot.area(pending_series_number, curve);
                          plot.line(pending_series_number, curve);
                        },
                    .sizes = {wide_plot.of_height(260), narrow_plot.of_height(270)}});
}

}  // namespace detent::tool
