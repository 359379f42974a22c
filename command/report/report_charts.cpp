// SPDX-License-Identifier: MIT
#include "report/report_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lateness/lateness_text.hpp"
#include "report/chart_figure.hpp"
#include "report/staircase.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

constexpr int engine_series = 1, spin_series = 2, sleep_series = 3;
constexpr auto by_line = chart::mark::line, by_bar = chart::mark::bar;

double as_number(std::uint64_t value) { return static_cast<double>(value); }
double as_number(std::int64_t value) { return static_cast<double>(value); }

plot_scale scale_of_all(const lateness_log& timers, const machine_floor& floor) {
  double least = 1e18, most = 1;
  for (const lateness_log* each : {&timers, &floor.spin, &floor.sleep}) {
    least = std::min(least, as_number(std::max<std::int64_t>(each->buckets().front().low, 10)));
    most = std::max(most, as_number(each->max()));
  }
  return log_time_scale("lateness, log scale", least, most);
}

std::vector<chart::entry> legend_beside_floor(chart::mark engine) {
  return {{engine_series, engine, "timers of the engine"},
          {sleep_series, by_line, "floor: bare clock_nanosleep"},
          {spin_series, by_line, "floor: bare spin loop"}};
}

std::string in_words(const lateness_log& timers, const machine_floor& floor) {
  return fmt::format("Timers: {}. Bare clock_nanosleep: {}. Bare spin loop: {}.", lateness_text(timers),
                     lateness_text(floor.sleep), lateness_text(floor.spin));
}

constexpr int bins_per_decade = 10;

// Counts the samples in each bin; bin n begins at 10^(n / bins_per_decade) ns.
std::map<int, std::uint64_t> binned(const lateness_log& samples) {
  std::map<int, std::uint64_t> bins;
  for (const auto& each : samples.buckets()) {
    const double middle = std::max(1.0, (as_number(each.low) + as_number(std::min(each.high, samples.max()))) / 2);
    bins[static_cast<int>(std::floor(std::log10(middle) * bins_per_decade + 1e-9))] += each.count;
  }
  return bins;
}

double bin_start(int bin) { return std::pow(10, static_cast<double>(bin) / bins_per_decade); }

svg_plot::points outline(const lateness_log& samples) {
  const auto bins = binned(samples);
  svg_plot::points out = {{bin_start(bins.begin()->first), 0}};
  for (int bin = bins.begin()->first; bin <= bins.rbegin()->first; ++bin) {
    const auto found = bins.find(bin);
    const double share = found == bins.end() ? 0 : as_number(found->second) / as_number(samples.count());
    out.emplace_back(bin_start(bin), share);
    out.emplace_back(bin_start(bin + 1), share);
  }
  out.emplace_back(out.back().first, 0);
  return out;
}

double highest_share(const lateness_log& samples) {
  std::uint64_t highest = 0;
  for (const auto& [bin, count] : binned(samples)) highest = std::max(highest, count);
  return as_number(highest) / as_number(samples.count());
}

}  // namespace

std::string percentile_chart(const lateness_log& timers, const machine_floor& floor) {
  const auto most_samples = std::max({timers.count(), floor.spin.count(), floor.sleep.count()});
  return figure_of({.title = "Lateness by percentile",
                    .caption = fmt::format(
                        "How long after their deadlines callbacks began; lower is better. Each vertical line adds a "
                        "nine. A curve ends at its slowest timer; there were {} timers, and {} wake-ups of each floor.",
                        count_text(timers.count()), count_text(floor.spin.count())),
                    .description = in_words(timers, floor),
                    .x = nines_scale("percentile of the timers that fired, %", as_number(most_samples)),
                    .y = scale_of_all(timers, floor),
                    .legend = legend_beside_floor(by_line),
                    .draw = [&](svg_plot& plot) {
                      plot.line(spin_series, staircase(floor.spin));
                      plot.line(sleep_series, staircase(floor.sleep));
                      plot.line(engine_series, staircase(timers));
                    }});
}

std::string histogram_chart(const lateness_log& timers, const machine_floor& floor) {
  const double highest = std::max({highest_share(timers), highest_share(floor.spin), highest_share(floor.sleep)});
  return figure_of({.title = "Histogram of lateness",
                    .caption = "The same samples: how many of them were how late.",
                    .description = in_words(timers, floor),
                    .x = scale_of_all(timers, floor),
                    .y = linear_percent_scale("share of the timers", highest),
                    .legend = legend_beside_floor(by_bar),
                    .draw =
                        [&](svg_plot& plot) {
                          for (const auto& [bin, count] : binned(timers)) {
                            const double share = as_number(count) / as_number(timers.count());
                            plot.bar(
                                engine_series, bin_start(bin), bin_start(bin + 1), share,
                                fmt::format("{} to {}: {} timers, {}", time_text(bin_start(bin)),
                                            time_text(bin_start(bin + 1)), count_text(count), percent_text(share)));
                          }
                          plot.line(sleep_series, outline(floor.sleep));
                          plot.line(spin_series, outline(floor.spin));
                        },
                    .sizes = {wide_plot.of_height(300), narrow_plot.of_height(290)}});
}

}  // namespace detent::tool
