// SPDX-License-Identifier: MIT
// Explains why an engine's timers are late, from its own figures and the kernel's figures for its driver.
#pragma once
#include <detent/options.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "lateness/driver_evidence.hpp"
#include "lateness/late_scenario.hpp"

namespace detent::tool {

// One part of the lateness, in nanoseconds.
struct late_part {
  double sum = 0, most = 0;
  double typical = 0;  // the mean in which each value counts by its length
};

// An engine's figures between two readings.
struct late_figures {
  std::array<late_part, 4> parts = {};  // drain, wait, worker, dispatch
  double span = 0;                      // nanoseconds
  double fired = 0, scheduled = 0;
  double pending = 0;                          // at the end of the span
  double callbacks = 0, longest_callback = 0;  // nanoseconds of the driver's time; zero if an executor runs them
  double drains = 0, drained = 0, rings = 0;
  std::optional<wait_options::kind> wait = {};  // the worker's; empty if a caller drives the engine
  double tick = 1;                              // nanoseconds
  bool hands_over = false;                      // executors run callbacks
};

struct lateness_diagnosis {
  std::optional<late_scenario> is = {};  // empty if no timer was late
  std::string seen = {};                 // the evidence, with figures; may be empty
};

// Returns whether timers are so late that the reason is worth a line: 1 % of them by more than 0.1 ms, or periods were
// missed.
constexpr bool is_late(double p99_ns, double missed) { return p99_ns > 100'000 || missed > 0; }

// Returns the place of the part with the largest sum, which is what "late by" means on every screen. Returns nothing if
// all are zero.
std::optional<std::size_t> main_part(const std::array<double, 4>& sums);

// `evidence` must cover the same span as the figures.
lateness_diagnosis diagnose(const late_figures& late, const driver_evidence& evidence);

// Returns why the driver has not run the earliest timer, which is overdue, if the kernel shows what keeps the driver
// from it.
lateness_diagnosis diagnose_overdue(bool has_worker, const driver_evidence& evidence);
// Returns "its next timer was due 3 s ago, and it runs none", with the reason if it is known. `overdue` is in
// nanoseconds.
std::string overdue_text(double overdue, const lateness_diagnosis& why);
std::string overdue_cure(const lateness_diagnosis& why);

// Returns a text such as "the worker had too little CPU: 1.2 s of 2 s ready to run but waiting", or an empty one if no
// timer was late.
std::string text_of(const lateness_diagnosis& diagnosis);
std::string cure_of(const lateness_diagnosis& diagnosis);  // empty if no timer was late

}  // namespace detent::tool
