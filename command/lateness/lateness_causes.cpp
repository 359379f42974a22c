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

// All that the `most` largest samples add up to.
double sum_of_largest(const lateness_log& log, std::uint64_t most) {
  double sum = 0;
  const auto buckets = log.buckets();
  for (auto each = buckets.rbegin(); each != buckets.rend() && most != 0; ++each) {
    const std::uint64_t taken = std::min(most, each->count);
    const double middle = (as_number(each->low) + as_number(std::min(each->high, log.max()))) / 2;
    sum += middle * static_cast<double>(taken);
    most -= taken;
  }
  return sum;
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
      {{.name = "drain",
        .span = "before the worker had taken the timer up from the submission queue",
        .cure = "schedule earlier: the deadline had passed already, or was so near that it passed on the way"},
       {.name = "wait",
        .span = "while the worker slept, or was kept off its CPU",
        .cure = "wait_options::busy(), or hybrid() with a longer max_spin; a CPU of its own for the worker "
                "(engine_options::cpu); what the doctor says of this host"},
       {.name = "worker",
        .span = "while the worker was busy, mostly with other callbacks",
        .cure = "shorter callbacks, an executor for the long ones, or deadlines spread further apart"},
       {.name = "dispatch",
        .span = "between the hand-over to the executor and the callback's start",
        .cure = "more threads in the executor, or shorter callbacks"}}};
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
  double all = 0, worst = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    lateness_cause& each = out.parts[i];
    static_cast<cause_words&>(each) = words_of_causes()[i];
    each.log = std::move(parts[i]);
    each.affected = affected(each.log);
    all += each.of_all = sum_of_largest(each.log, each.log.count());
    worst += each.of_worst = sum_of_largest(each.log, (each.log.count() + 99) / 100);
  }
  for (lateness_cause& each : out.parts) {
    each.of_all = all > 0 ? each.of_all / all : 0;
    each.of_worst = worst > 0 ? each.of_worst / worst : 0;
  }
  return out;
}

const lateness_cause& lateness_causes::largest() const {
  return *std::max_element(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.of_all < b.of_all; });
}

const lateness_cause& lateness_causes::largest_of_worst() const {
  return *std::max_element(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.of_worst < b.of_worst; });
}

bool lateness_causes::any() const { return largest().of_all > 0; }

std::string why_late(const lateness_causes& causes, const lateness_log& lateness, const lateness_log& bare_spin_loop,
                     const lateness_log& bare_sleep) {
  if (lateness.count() == 0) return "No timer fired, so none was late.";
  std::string out =
      fmt::format("Half of the timers began within {} of their deadlines, 99 % within {}, the latest {} after. ",
                  at(lateness, 50), at(lateness, 99), at(lateness, 100));
  if (!causes.any()) return out + "The engine counted no lateness.";
  const lateness_cause& first = causes.largest();
  const lateness_cause& worst = causes.largest_of_worst();
  out += fmt::format("Of all the time lost, {} went by {} ({}); ", percent_text(first.of_all), first.span, first.name);
  if (&worst == &first) {
    out += fmt::format("in the worst 1 % it was {}. ", percent_text(first.of_worst));
  } else {
    out += fmt::format("in the worst 1 %, {} went by {} ({}). ", percent_text(worst.of_worst), worst.span, worst.name);
  }
  if (bare_spin_loop.count() == 0 || bare_sleep.count() == 0) return out;
  return out +
         fmt::format(
             "This machine alone, with no engine: at p99 a bare spin loop was {} late, a bare clock_nanosleep {}.",
             at(bare_spin_loop, 99), at(bare_sleep, 99));
}

}  // namespace detent::tool
