// SPDX-License-Identifier: MIT
// The metrics of several engines as one.
#include <detent/metrics.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace detent {
namespace {

constexpr std::uint64_t engine_metrics::*merged_counts[] = {
    &engine_metrics::scheduled,    &engine_metrics::expired, &engine_metrics::cancelled, &engine_metrics::returned,
    &engine_metrics::dropped,      &engine_metrics::pending, &engine_metrics::fired,     &engine_metrics::restarted,
    &engine_metrics::refused,      &engine_metrics::failed,  &engine_metrics::boxed,     &engine_metrics::wakeups,
    &engine_metrics::drains,       &engine_metrics::drained, &engine_metrics::rings,     &engine_metrics::backlog,
    &engine_metrics::queued,       &engine_metrics::retired, &engine_metrics::slow,      &engine_metrics::missed,
    &engine_metrics::over_capacity};
constexpr histogram engine_metrics::*merged_histograms[] = {
    &engine_metrics::lateness,    &engine_metrics::late_drain,    &engine_metrics::late_wait,
    &engine_metrics::late_worker, &engine_metrics::late_dispatch, &engine_metrics::callback};
// A member that is added belongs into one of the two, or is merged below.
static_assert(sizeof(engine_metrics) == std::size(merged_counts) * sizeof(std::uint64_t) +
                                            std::size(merged_histograms) * sizeof(histogram) + sizeof(clock_report) +
                                            sizeof(error_report));

clock_report merged(const clock_report& a, const clock_report& b) noexcept {
  const std::string_view of_a = a.name, of_b = b.name;
  if (of_a.empty()) return b;
  clock_report both = a;
  if (!of_b.empty() && of_a != of_b) both.name = "mixed";
  if (*both.reason == '\0') both.reason = b.reason;
  both.distrusted = std::max(a.distrusted, b.distrusted);
  return both;
}

}  // namespace

engine_metrics& engine_metrics::operator+=(const engine_metrics& other) {
  engine_metrics sum = *this;
  for (const auto each : merged_histograms) sum.*each += other.*each;
  for (const auto each : merged_counts) sum.*each += other.*each;
  sum.clock = merged(clock, other.clock);
  if (last_error.text.empty() || (!other.last_error.text.empty() && last_error.at < other.last_error.at))
    sum.last_error = other.last_error;
  *this = std::move(sum);
  return *this;
}

}  // namespace detent
