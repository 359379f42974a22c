// SPDX-License-Identifier: MIT
#include "lateness/counted_lateness.hpp"

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace detent::tool {
namespace {

std::optional<wait_options::kind> wait_of(const engine_identity& engine) {
  if (engine.worker_thread == 0) return std::nullopt;
  const std::string_view wait = engine.wait;
  if (wait == "busy") return wait_options::kind::busy;
  return wait == "sleep" ? wait_options::kind::sleep : wait_options::kind::hybrid;
}

double as_number(duration time) { return static_cast<double>(time.count()); }

}  // namespace

late_figures late_figures_of(const counters_snapshot& change, double pending, double span) {
  constexpr cause parts[] = {cause::drain, cause::wait, cause::worker, cause::dispatch};
  const auto count = [&change](counter key) { return static_cast<double>(change.totals[key]); };
  late_figures late{.parts = {},
                    .span = span,
                    .fired = count(counter::fired),
                    .scheduled = count(counter::scheduled),
                    .pending = pending,
                    .drains = count(counter::drains),
                    .drained = count(counter::drained),
                    .rings = count(counter::rings),
                    .wait = wait_of(change.identity),
                    .tick = static_cast<double>(change.identity.tick),
                    .hands_over = hands_over(change)};
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    const counters_histogram& its = change.histograms[parts[i]];
    late.parts[i] = {.sum = as_number(its.sum()), .most = as_number((its.max)()), .typical = its.typical()};
  }
  if (!late.hands_over) {
    late.callbacks = as_number(change.histograms[cause::callback].sum());
    late.longest_callback = as_number((change.histograms[cause::callback].max)());
  }
  return late;
}

bool hands_over(const counters_snapshot& snapshot) { return snapshot.totals[counter::handed_over] != 0; }

std::int64_t overdue_of(const counters_snapshot& snapshot) {
  const std::int64_t next = snapshot.gauges[gauge::next_deadline];
  const bool known = std::string_view(snapshot.identity.clock) != "manual" && snapshot.pending() != 0 && next > 0;
  return known && next < snapshot.read_at ? snapshot.read_at - next : 0;
}

}  // namespace detent::tool
