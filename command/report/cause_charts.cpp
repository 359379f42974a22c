// SPDX-License-Identifier: MIT
// The plots of a report that take lateness apart.
#include <fmt/format.h>

#include <algorithm>

#include "lateness/lateness_text.hpp"
#include "report/chart_figure.hpp"
#include "report/report_charts.hpp"
#include "report/staircase.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr int whole_series = 1, first_cause_series = 4;

int series_of(std::size_t cause) { return first_cause_series + static_cast<int>(cause); }

}  // namespace

std::string share_chart(const lateness_causes& causes) {
  std::string description;
  std::vector<chart::entry> legend;
  for (std::size_t i = 0; i < causes.parts.size(); ++i) {
    const lateness_cause& each = causes.parts[i];
    description += fmt::format("{}: {} of all. ", each.name, percent_text(each.of_all));
    legend.push_back({series_of(i), chart::mark::bar, fmt::format("{}: {}", each.name, each.span)});
  }
  const auto draw = [&causes](svg_plot& plot) {
    double from = 0;
    for (std::size_t i = 0; i < causes.parts.size(); ++i) {
      const lateness_cause& each = causes.parts[i];
      if (each.of_all <= 0) continue;
      const std::string percent = percent_text(each.of_all);
      plot.box(series_of(i), from, from + each.of_all, 0.14, 0.86, percent, fmt::format("{}: {}", each.name, percent));
      from += each.of_all;
    }
  };
  return figure_of({.title = "Where the time went",
                    .caption = "Lateness by cause, as shares of the time that all timers together lost.",
                    .description = description,
                    .x = linear_percent_scale("share of the time that timers were late", 1),
                    .y = row_scale("", {"all timers"}),
                    .legend = legend,
                    .draw = draw,
                    .sizes = {wide_plot.of_height(130), narrow_plot.of_height(140)}});
}

std::string cause_percentile_chart(const lateness_causes& causes, const lateness_log& timers) {
  std::string description = fmt::format("All of the lateness: {}. ", lateness_text(timers));
  std::vector<chart::entry> legend = {{whole_series, chart::mark::line, "all of the lateness"}};
  double least = static_cast<double>(std::max<std::int64_t>(timers.buckets().front().low, 1));
  double most = static_cast<double>(timers.max());
  for (std::size_t i = 0; i < causes.parts.size(); ++i) {
    const lateness_cause& each = causes.parts[i];
    description += fmt::format("{}: {}. ", each.name, lateness_text(each.log));
    if (each.log.max() == 0) continue;
    legend.push_back({series_of(i), chart::mark::line, std::string(each.name)});
    most = std::max(most, static_cast<double>(each.log.max()));
    for (const auto& bucket : each.log.buckets()) {
      if (bucket.low > 0) least = std::min(least, static_cast<double>(bucket.low));
      if (bucket.low > 0) break;
    }
  }
  return figure_of(
      {.title = "Each cause by percentile",
       .caption = "A curve stays below the plot for as long as its cause made no timer late. Each cause is in an order "
                  "of its own, so at one percentile the causes do not add up.",
       .description = description,
       .x = nines_scale("percentile of the timers that fired, %", static_cast<double>(timers.count())),
       .y = log_time_scale("time lost, log scale", std::max(least, 10.0), most),
       .legend = legend,
       .draw = [&](svg_plot& plot) {
         plot.line(whole_series, staircase(timers));
         for (std::size_t i = 0; i < causes.parts.size(); ++i) {
           if (causes.parts[i].log.max() > 0) plot.line(series_of(i), staircase(causes.parts[i].log));
         }
       }});
}

}  // namespace detent::tool
