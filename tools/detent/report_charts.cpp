// SPDX-License-Identifier: MIT
#include "report_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "svg_plot.hpp"
#include "units.hpp"

namespace detent::tool {
namespace {

constexpr int engine_series = 1, floor_series = 2;
constexpr const char* engine_name = "timers of the engine";
constexpr const char* floor_name = "bare spin loop on this machine, same minute";

double as_number(std::uint64_t value) { return static_cast<double>(value); }
double as_number(std::int64_t value) { return static_cast<double>(value); }

// The percentile function is a staircase: each value holds over the fractions of samples it stands for. It ends where
// one sample is all that is left.
svg_plot::points staircase(const lateness_log& samples) {
  svg_plot::points out;
  std::uint64_t seen = 0;
  const double last = 1 - 1 / as_number(samples.count());
  for (const auto& each : samples.buckets()) {
    const auto value = std::min(as_number(each.high), as_number(samples.max()));
    out.emplace_back(std::min(as_number(seen) / as_number(samples.count()), last), value);
    seen += each.count;
    out.emplace_back(std::min(as_number(seen) / as_number(samples.count()), last), value);
  }
  return out;
}

constexpr int bins_per_decade = 12;

// Shares of the samples by bin; bin n begins at 10^(n / bins_per_decade) ns.
std::map<int, std::uint64_t> binned(const lateness_log& samples) {
  std::map<int, std::uint64_t> bins;
  for (const auto& each : samples.buckets()) {
    const double middle = std::max(1.0, (as_number(each.low) + as_number(each.high)) / 2);
    bins[static_cast<int>(std::floor(std::log10(middle) * bins_per_decade + 1e-9))] += each.count;
  }
  return bins;
}

double bin_start(int bin) { return std::pow(10, static_cast<double>(bin) / bins_per_decade); }

double least_of(const lateness_log& a, const lateness_log& b) {
  return as_number(std::min(a.buckets().front().low, b.buckets().front().low));
}
double most_of(const lateness_log& a, const lateness_log& b) { return as_number(std::max(a.max(), b.max())); }

double highest_share(const std::map<int, std::uint64_t>& bins, double samples) {
  double highest = 0;
  for (const auto& [bin, count] : bins) highest = std::max(highest, as_number(count) / samples);
  return highest;
}

}  // namespace

std::string percentile_curve(const lateness_log& timers, const lateness_log& bare_spin_loop) {
  const double most_samples = as_number(std::max(timers.count(), bare_spin_loop.count()));
  svg_plot plot(nines_scale("percentile of the timers that fired", most_samples),
                log_time_scale("lateness", least_of(timers, bare_spin_loop), most_of(timers, bare_spin_loop)),
                "lateness by percentile");
  plot.line(floor_series, staircase(bare_spin_loop));
  plot.line(engine_series, staircase(timers));
  plot.legend(engine_series, engine_name);
  plot.legend(floor_series, floor_name);
  return plot.str();
}

std::string lateness_histogram(const lateness_log& timers, const lateness_log& bare_spin_loop) {
  const auto engine_bins = binned(timers), floor_bins = binned(bare_spin_loop);
  const double engine_samples = as_number(timers.count()), floor_samples = as_number(bare_spin_loop.count());
  const double highest = std::max(highest_share(engine_bins, engine_samples), highest_share(floor_bins, floor_samples));
  svg_plot plot(log_time_scale("lateness", least_of(timers, bare_spin_loop), most_of(timers, bare_spin_loop)),
                linear_percent_scale("share of the timers", highest), "histogram of lateness");
  for (const auto& [bin, count] : engine_bins) {
    plot.bar(engine_series, bin_start(bin), bin_start(bin + 1), as_number(count) / engine_samples,
             fmt::format("{} to {}: {} timers, {}", time_text(bin_start(bin)), time_text(bin_start(bin + 1)),
                         count_text(count), percent_text(as_number(count) / engine_samples)));
  }
  svg_plot::points outline;
  for (int bin = floor_bins.begin()->first; bin <= floor_bins.rbegin()->first; ++bin) {
    const auto found = floor_bins.find(bin);
    const double share = found == floor_bins.end() ? 0 : as_number(found->second) / floor_samples;
    if (outline.empty()) outline.emplace_back(bin_start(bin), 0);
    outline.emplace_back(bin_start(bin), share);
    outline.emplace_back(bin_start(bin + 1), share);
  }
  outline.emplace_back(outline.back().first, 0);
  plot.line(floor_series, outline);
  plot.legend(engine_series, engine_name);
  plot.legend(floor_series, floor_name);
  return plot.str();
}

std::string pending_over_time(const pending_series& pending) {
  svg_plot plot(linear_time_scale("time since the start", as_number(pending.end_ns())),
                linear_count_scale("timers pending", as_number(pending.highest())), "pending timers over time");
  svg_plot::points curve;
  for (const auto& [t_ns, count] : pending.points()) curve.emplace_back(as_number(t_ns), as_number(count));
  if (!curve.empty()) curve.emplace_back(as_number(pending.end_ns()), curve.back().second);
  plot.area(engine_series, curve);
  plot.line(engine_series, curve);
  plot.legend(engine_series,
              fmt::format("pending timers, the most in each step of {}", time_text(as_number(pending.step_ns()))));
  return plot.str();
}

}  // namespace detent::tool
