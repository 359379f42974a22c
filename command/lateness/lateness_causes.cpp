// SPDX-License-Identifier: MIT
#include "lateness/lateness_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "text/units.hpp"

namespace detent::tool {
namespace {

double as_number(std::int64_t value) { return static_cast<double>(value); }

late_part part_of(const lateness_log& log) {
  double sum = 0, weighted = 0;
  for (const lateness_log::bucket& each : log.buckets()) {
    const double middle = (as_number(each.low) + as_number(std::min(each.high, log.max()))) / 2;
    const double part = middle * static_cast<double>(each.count);
    sum += part;
    weighted += part * middle;
  }
  return {.sum = sum, .most = as_number(log.max()), .typical = sum > 0 ? weighted / sum : 0};
}

double affected(const lateness_log& log) {
  if (log.count() == 0) return 0;
  const auto first = log.buckets().front();
  const std::uint64_t zeros = first.low == 0 ? first.count : 0;
  return static_cast<double>(log.count() - zeros) / static_cast<double>(log.count());
}

std::string at(const lateness_log& log, double percentile) { return time_text(as_number(log.percentile(percentile))); }

}  // namespace

lateness_log log_of(const histogram& from) {
  lateness_log out;
  const auto value_at = [&](std::uint64_t rank) {
    return from.percentile(static_cast<double>(rank) * 100 / static_cast<double>(from.count())).count();
  };
  for (std::uint64_t rank = 1; rank <= from.count();) {
    const std::int64_t value = value_at(rank);
    std::uint64_t last = rank, beyond = from.count() + 1;
    for (std::uint64_t stride = 1; last + stride < beyond; stride *= 2) {
      if (value_at(last + stride) == value) {
        last += stride;
      } else {
        beyond = last + stride;
      }
    }
    while (beyond - last > 1) {
      const std::uint64_t middle = last + (beyond - last) / 2;
      (value_at(middle) == value ? last : beyond) = middle;
    }
    out.record(value, last - rank + 1);
    rank = last + 1;
  }
  return out;
}

const std::array<cause_words, 4>& words_of_causes() {
  static constexpr std::array<cause_words, 4> words = {
      {{.name = "drain", .span = "before the driver had taken the timer up from the submission queue"},
       {.name = "wait", .span = "while the driver waited, was away, or was kept off its CPU"},
       {.name = "worker", .span = "while the driver was busy, mostly with other callbacks"},
       {.name = "dispatch", .span = "between the hand-over to the executor and the callback's start"}}};
  return words;
}

lateness_causes lateness_causes::of(const engine_metrics& metrics) {
  return of({log_of(metrics.late_drain), log_of(metrics.late_wait), log_of(metrics.late_worker),
             log_of(metrics.late_dispatch)},
            log_of(metrics.callback));
}

lateness_causes lateness_causes::of(std::array<lateness_log, 4> parts, lateness_log callback) {
  lateness_causes out;
  out.callback = std::move(callback);
  double all = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    lateness_cause& each = out.parts[i];
    static_cast<cause_words&>(each) = words_of_causes()[i];
    each.log = std::move(parts[i]);
    each.affected = affected(each.log);
    all += each.of_all = part_of(each.log).sum;
  }
  for (lateness_cause& each : out.parts) each.of_all = all > 0 ? each.of_all / all : 0;
  return out;
}

const lateness_cause& lateness_causes::largest() const {
  std::array<double, 4> shares = {};
  std::transform(parts.begin(), parts.end(), shares.begin(), [](const lateness_cause& each) { return each.of_all; });
  return parts[main_part(shares).value_or(0)];
}

bool lateness_causes::any() const { return largest().of_all > 0; }

late_figures lateness_causes::figures(const engine_metrics& metrics, duration span, wait_options::kind wait) const {
  late_figures late{.parts = {},
                    .span = as_number(span.count()),
                    .fired = static_cast<double>(metrics.fired),
                    .scheduled = static_cast<double>(metrics.scheduled),
                    .pending = static_cast<double>(metrics.pending + metrics.returned),
                    .drains = static_cast<double>(metrics.drains),
                    .drained = static_cast<double>(metrics.drained),
                    .rings = static_cast<double>(metrics.rings),
                    .wait = wait};
  std::transform(parts.begin(), parts.end(), late.parts.begin(), [](const auto& each) { return part_of(each.log); });
  if (metrics.late_dispatch.max().count() == 0) {  // no executor ran them
    late.callbacks = part_of(callback).sum;
    late.longest_callback = as_number(callback.max());
  }
  return late;
}

std::string why_late(const lateness_causes& causes, const lateness_log& lateness, const lateness_log& bare_spin_loop,
                     const lateness_log& bare_sleep) {
  if (lateness.count() == 0) return "No timer fired, so none was late.";
  std::string out =
      fmt::format("Half of the timers began within {} of their deadlines, 99 % within {}, the latest {} after. ",
                  at(lateness, 50), at(lateness, 99), at(lateness, 100));
  if (!causes.any()) return out + "The engine counted no lateness.";
  const lateness_cause& first = causes.largest();
  out += fmt::format("Of all the time lost, {} went by {} ({}). ", percent_text(first.of_all), first.span, first.name);
  if (bare_spin_loop.count() == 0 || bare_sleep.count() == 0) return out;
  return out +
         fmt::format(
             "This machine alone, with no engine: at p99 a bare spin loop was {} late, a bare clock_nanosleep {}.",
             at(bare_spin_loop, 99), at(bare_sleep, 99));
}

}  // namespace detent::tool
