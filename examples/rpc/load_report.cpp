// SPDX-License-Identifier: MIT
#include "load_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace rpc {
namespace {

// p in 0..100; zero if there is none.
double percentile_ms(std::vector<std::chrono::nanoseconds> values, double p) {
  if (values.empty()) return 0;
  const auto rank = static_cast<std::ptrdiff_t>(p / 100 * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return std::chrono::duration<double, std::milli>(values[static_cast<std::size_t>(rank)]).count();
}

struct row {
  const char* what;
  const char* format;
  std::function<double(const load_report&)> figure;
};

double count(std::uint64_t n) { return static_cast<double>(n); }

const row rows[] = {
    {"calls", "{:.0f}", [](const load_report& r) { return count(r.calls.calls()); }},
    {"most in flight", "{:.0f}", [](const load_report& r) { return count(r.calls.most_in_flight()); }},
    {"calls per second", "{:.0f}", [](const load_report& r) { return r.calls_per_second(); }},
    {"CPU of the client per call, us", "{:.2f}", [](const load_report& r) { return r.processor_us_per_call(); }},
    {"call, median, ms", "{:.1f}", [](const load_report& r) { return percentile_ms(r.calls.took(), 50); }},
    {"call, 99 %, ms", "{:.1f}", [](const load_report& r) { return percentile_ms(r.calls.took(), 99); }},
    {"call, 99.9 %, ms", "{:.1f}", [](const load_report& r) { return percentile_ms(r.calls.took(), 99.9); }},
    {"call, slowest, ms", "{:.1f}", [](const load_report& r) { return percentile_ms(r.calls.took(), 100); }},
    {nullptr, nullptr, nullptr},
    {"timers armed", "{:.0f}", [](const load_report& r) { return count(r.timers.armed); }},
    {"cancelled, %", "{:.3f}", [](const load_report& r) { return r.cancelled_percent(); }},
    {"fired", "{:.0f}", [](const load_report& r) { return count(r.timers.fired); }},
    {"fired early", "{:.0f}", [](const load_report& r) { return count(r.timers.early); }},
    {"lateness, median, ms", "{:.3f}", [](const load_report& r) { return percentile_ms(r.timers.lateness, 50); }},
    {"lateness, 99 %, ms", "{:.3f}", [](const load_report& r) { return percentile_ms(r.timers.lateness, 99); }},
    {nullptr, nullptr, nullptr},
    {"attempts timed out", "{:.0f}", [](const load_report& r) { return count(r.attempts.timeouts); }},
    {"attempts disconnected", "{:.0f}", [](const load_report& r) { return count(r.attempts.disconnects); }},
    {"retries", "{:.0f}", [](const load_report& r) { return count(r.retries); }},
    {"hedges", "{:.0f}", [](const load_report& r) { return count(r.hedges); }},
    {"hedges won", "{:.0f}", [](const load_report& r) { return count(r.attempts.hedges_won); }},
    {"losers cancelled at the server", "{:.0f}", [](const load_report& r) { return count(r.wire.cancels); }},
    {"answers that came too late", "{:.0f}", [](const load_report& r) { return count(r.wire.late); }},
    {nullptr, nullptr, nullptr},
    {"calls answered", "{:.0f}", [](const load_report& r) { return count(r.calls.ended(call_result::answered)); }},
    {"calls given up: deadline", "{:.0f}",
     [](const load_report& r) { return count(r.calls.ended(call_result::deadline_exceeded)); }},
    {"calls given up: attempts", "{:.0f}",
     [](const load_report& r) { return count(r.calls.ended(call_result::attempts_used_up)); }},
    {"calls given up: retry budget", "{:.0f}",
     [](const load_report& r) { return count(r.calls.ended(call_result::budget_used_up)); }},
};

}  // namespace

void print(std::span<const load_report> reports) {
  fmt::print("{:32}", "");
  for (const load_report& report : reports) fmt::print("{:>12}", report.timer_name);
  if (reports.size() == 2) fmt::print("{:>16}", reports[1].timer_name + " : " + reports[0].timer_name);
  fmt::print("\n");
  for (const row& line : rows) {
    if (line.what == nullptr) {
      fmt::print("\n");
      continue;
    }
    fmt::print("{:32}", line.what);
    for (const load_report& report : reports)
      fmt::print("{:>12}", fmt::format(fmt::runtime(line.format), line.figure(report)));
    if (reports.size() == 2 && line.figure(reports[0]) > 0)
      fmt::print("{:>16.2f}", line.figure(reports[1]) / line.figure(reports[0]));
    fmt::print("\n");
  }
}

bool check(const load_report& report, std::optional<double> least_cancelled) {
  bool all = true;
  const auto promise = [&](bool kept, const std::string& what) {
    fmt::print("{:8}{:6} {}\n", report.timer_name, kept ? "yes" : "NO", what);
    all = all && kept;
  };
  const timer_ledger& timers = report.timers;
  promise(report.calls.each_ended_once(), "every call ended exactly once");
  promise(report.wire.wrong == 0, "every answer was that of its request");
  promise(timers.early == 0, "no timer fired before its deadline");
  promise(timers.armed == timers.fired + timers.disarmed, "every timer either fired or was cancelled");
  if (report.timers_agree) promise(*report.timers_agree, "the engine's own counts say the same");
  promise(report.budgets_kept, "retries and hedges kept to their budgets");
  if (least_cancelled) {
    promise(report.cancelled_percent() >= *least_cancelled,
            fmt::format("at least {} % of the timers were cancelled", *least_cancelled));
  }
  return all;
}

}  // namespace rpc
