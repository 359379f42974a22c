// SPDX-License-Identifier: MIT
// The metrics of an engine, or of a set of engines, beside the counts of the specification.
#include "search/poll_walks/counting.hpp"

#include <cmath>
#include <string>

namespace detent::poll_walks {

void compare(const engine_metrics& came, const spec::counts& expected, bool of_label, spec::rules& broke) {
  const auto same = [&](std::uint64_t a, std::uint64_t b, const char* what) {
    broke.require(a == b, what, [&] { return std::to_string(a) + ", and it should be " + std::to_string(b); });
  };
  same(came.scheduled, expected.scheduled, "metrics().scheduled");
  same(came.expired, expected.expired, "metrics().expired");
  same(came.cancelled, expected.cancelled, "metrics().cancelled");
  same(came.returned, expected.returned, "metrics().returned");
  same(came.dropped, expected.dropped, "metrics().dropped");
  same(came.pending, expected.pending, "metrics().pending");
  same(came.fired, expected.fired, "metrics().fired");
  same(came.restarted, expected.restarted, "metrics().restarted");
  same(came.failed, expected.failed, "metrics().failed");
  same(came.missed, expected.missed, "metrics().missed");
  if (!of_label) same(came.refused, expected.refused, "metrics().refused");
  same(came.lateness.count(), expected.fired, "metrics().lateness has each run");
  same(came.callback.count(), expected.fired, "metrics().callback has each run");
  const auto sum_of = [](const histogram& of) { return double(of.mean().count()) * double(of.count()); };
  double sum = 0;
  for (const histogram* part : {&came.late_drain, &came.late_wait, &came.late_worker, &came.late_dispatch}) {
    same(part->count(), expected.fired, "each cause of lateness has each run");
    sum += sum_of(*part);
  }
  const double whole = sum_of(came.lateness);
  // Means are cut to whole nanoseconds, and sums near the end of 64 bits are estimated by their buckets.
  const double error = 5.0 * double(expected.fired) + whole * (whole < 8e18 ? 1e-12 : 0.01);
  broke.require(std::abs(sum - whole) <= error, "the causes of lateness add up to it",
                [&] { return std::to_string(sum) + ", and it should be " + std::to_string(whole); });
}

}  // namespace detent::poll_walks
