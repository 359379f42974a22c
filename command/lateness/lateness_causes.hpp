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

// Copies the samples of a histogram of the metrics into one whose buckets can be read.
lateness_log log_of(const histogram& from);

struct cause_words {
  std::string_view name;
  std::string_view span;  // what goes on in that time; follows "went by"
};
// The words for the parts, in the order in which they follow each other: drain, wait, worker, dispatch.
const std::array<cause_words, 4>& words_of_causes();

struct lateness_cause : cause_words {
  lateness_log log = {};
  double of_all = 0;    // its share of the time that timers were late, 0 to 1
  double affected = 0;  // the share of the timers that it made late at all
};

struct lateness_causes {
  // An engine's lateness apart, in the order of words_of_causes().
  static lateness_causes of(const engine_metrics& metrics);
  static lateness_causes of(std::array<lateness_log, 4> parts, lateness_log callback);

  const lateness_cause& largest() const;
  bool any() const;  // some time was lost
  // For a diagnosis of the engine that `metrics` are of.
  late_figures figures(const engine_metrics& metrics, duration span, wait_options::kind wait) const;

  std::array<lateness_cause, 4> parts;
  lateness_log callback;
};

// "Why were timers late?" in words, with figures. The floors are those of this machine, measured beside the run.
std::string why_late(const lateness_causes& causes, const lateness_log& lateness, const lateness_log& bare_spin_loop,
                     const lateness_log& bare_sleep);

}  // namespace detent::tool
