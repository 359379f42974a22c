// SPDX-License-Identifier: MIT
// The causes that made the timers of a run late, and the share of each.
#pragma once
#include <detent/detent.hpp>

#include <array>
#include <string>
#include <string_view>

#include "lateness/lateness_diagnosis.hpp"
#include "lateness/lateness_log.hpp"

namespace detent::tool {

// Copies the samples of one of the metrics' histograms into a histogram whose buckets can be read.
lateness_log log_of(const histogram& from);

struct cause_words {
  std::string_view name;
  std::string_view span;  // what happens during that time; follows "went by"
};
// The words for the parts in their order: drain, wait, worker, dispatch.
const std::array<cause_words, 4>& words_of_causes();

struct lateness_cause : cause_words {
  lateness_log log = {};
  double of_all = 0;    // its share, from 0 to 1, of the time by which timers were late
  double affected = 0;  // the share of timers that it made late at all
};

struct lateness_causes {
  // Divides an engine's lateness into its parts, in the order of words_of_causes().
  static lateness_causes of(const engine_metrics& metrics);
  static lateness_causes of(std::array<lateness_log, 4> parts, lateness_log callback);

  const lateness_cause& largest() const;
  bool any() const;  // some time was lost
  // Returns figures for a diagnosis of the engine that `metrics` belong to.
  late_figures figures(const engine_metrics& metrics, duration span, wait_options::kind wait) const;

  std::array<lateness_cause, 4> parts;
  lateness_log callback;
};

// Answers "Why were timers late?" in words and figures. The floors are this machine's own lateness, measured beside the
// run.
std::string why_late(const lateness_causes& causes, const lateness_log& lateness, const lateness_log& bare_spin_loop,
                     const lateness_log& bare_sleep);

}  // namespace detent::tool
