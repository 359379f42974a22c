// SPDX-License-Identifier: MIT
#include "report/plot_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "text/units.hpp"

namespace detent::tool {
namespace {

double within_plot(double position) { return std::clamp(position, 0.0, 1.0); }

// Returns 1, 2 or 5 times a power of ten, so that `most` is about five steps.
double round_step(double most) {
  const double rough = std::max(most, 1e-9) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

template <class Text>
plot_scale linear_scale(const std::string& title, double most, double step, bool round_up, Text&& text) {
  const double end = round_up ? step * std::ceil(std::max(most, step) / step - 1e-9) : std::max(most, step / 1e3);
  plot_scale scale{
      .title = title, .position = [end](double value) { return within_plot(value / end); }, .marks = {}, .ruled = true};
  for (int i = 0; i * step <= end * (1 + 1e-9); ++i) scale.marks.push_back({i * step / end, text(i * step)});
  return scale;
}

}  // namespace

plot_scale log_time_scale(std::string title, double least_ns, double most_ns) {
  const double low = std::floor(std::log10(std::max(least_ns, 1.0)));
  const double high = std::max(low + 1, std::ceil(std::log10(std::max(most_ns, 1.0))));
  plot_scale scale{
      .title = std::move(title),
      .position = [low, high](double ns) { return within_plot((std::log10(std::max(ns, 1.0)) - low) / (high - low)); },
      .marks = {},
      .ruled = true};
  for (double power = low; power <= high; ++power) {
    scale.marks.push_back({(power - low) / (high - low), time_text(std::pow(10, power))});
  }
  return scale;
}

plot_scale nines_scale(std::string title, double samples) {
  const double nines = std::clamp(std::ceil(std::log10(std::max(samples, 10.0))), 1.0, 9.0);
  plot_scale scale{
      .title = std::move(title),
      .position = [nines](double fraction) { return within_plot(-std::log10(std::max(1 - fraction, 1e-12)) / nines); },
      .marks = {{0, "0"}, {std::log10(2.0) / nines, "50"}},
      .ruled = true};
  for (int n = 1; n <= static_cast<int>(nines); ++n) {
    scale.marks.push_back({n / nines, fmt::format("{:.{}f}", 100 - std::pow(10, 2 - n), std::max(0, n - 2))});
  }
  return scale;
}

plot_scale linear_time_scale(const std::string& title, double most_ns) {
  const double step = std::max(round_step(most_ns), 1.0);
  return linear_scale(title, most_ns, step, false, [](double ns) { return ns == 0 ? "0" : time_text(ns); });
}

plot_scale linear_count_scale(const std::string& title, double most) {
  const double step = std::max(round_step(most), 1.0);
  return linear_scale(title, most, step, true,
                      [](double count) { return count_text(static_cast<std::uint64_t>(std::llround(count))); });
}

plot_scale linear_percent_scale(const std::string& title, double most_fraction) {
  return linear_scale(title, most_fraction, round_step(most_fraction), true,
                      [](double fraction) { return fraction == 0 ? "0 %" : percent_text(fraction); });
}

plot_scale row_scale(std::string title, const std::vector<std::string>& names) {
  const auto rows = static_cast<double>(std::max<std::size_t>(names.size(), 1));
  plot_scale scale{.title = std::move(title),
                   .position = [rows](double value) { return within_plot(value / rows); },
                   .marks = {},
                   .ruled = false};
  double middle = rows - 0.5;
  for (const std::string& name : names) scale.marks.push_back({middle-- / rows, name});
  return scale;
}

}  // namespace detent::tool
