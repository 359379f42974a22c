// SPDX-License-Identifier: MIT
// Checks what an engine's metrics say about lateness by cause, and that the parts make up the whole.
#pragma once

#include <detent/metrics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace detent::drive {

struct causes {
  duration drain{}, wait{}, worker{}, dispatch{}, callback{};
};

// Compares the largest value of each part.
inline void expect_largest(const engine_metrics& reported, const causes& wanted) {
  EXPECT_EQ(reported.late_drain.max().count(), wanted.drain.count()) << "drain";
  EXPECT_EQ(reported.late_wait.max().count(), wanted.wait.count()) << "wait";
  EXPECT_EQ(reported.late_worker.max().count(), wanted.worker.count()) << "worker";
  EXPECT_EQ(reported.late_dispatch.max().count(), wanted.dispatch.count()) << "dispatch";
  EXPECT_EQ(reported.callback.max().count(), wanted.callback.count()) << "callback";
}

// As exact as a mean, which is cut to whole nanoseconds.
inline double sum_of(const histogram& of) {
  return static_cast<double>(of.mean().count()) * static_cast<double>(of.count());
}

// For an engine at rest: each part counts each of the `runs`, and the parts add up to the lateness.
inline void expect_parts_add_up(const engine_metrics& reported, std::uint64_t runs) {
  EXPECT_EQ(reported.fired, runs);
  EXPECT_EQ(reported.lateness.count(), runs);
  EXPECT_EQ(reported.callback.count(), runs);
  double sum = 0;
  for (const histogram* part :
       {&reported.late_drain, &reported.late_wait, &reported.late_worker, &reported.late_dispatch}) {
    EXPECT_EQ(part->count(), runs);
    EXPECT_LE(part->max(), reported.lateness.max());
    sum += sum_of(*part);
  }
  EXPECT_LE(std::abs(sum - sum_of(reported.lateness)), 5.0 * static_cast<double>(runs));
}

}  // namespace detent::drive
