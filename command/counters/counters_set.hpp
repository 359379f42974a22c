// SPDX-License-Identifier: MIT
// The shards of a sharded_engine, as one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// Returns the engines' places in `engines`, grouped by set. Engines of one set are next to each other, even if only one
// of its shards is there; the others stay in order.
std::vector<std::vector<std::size_t>> by_set(const std::vector<const engine_identity*>& engines);

// Adds up the shards: sums, and histograms of all values. The identity is the first shard's, named after the set:
// "orders x4". Gauges that do not add up give the largest value, and next_deadline the earliest. `shards` must not be
// empty.
counters_snapshot merged(const std::vector<const counters_snapshot*>& shards);

struct shard_figures {
  std::uint32_t shard = 0;
  double fired = 0, p99 = 0;  // runs, over the same time for all shards; lateness in nanoseconds
};
set_figures figures_of_set(const engine_identity& of, const std::vector<shard_figures>& shards);
// Replaces all shards of a set by one snapshot, with the figures of the set's whole life.
void fold_sets(std::vector<counters_snapshot>& engines);
// Describes the figures in a line.
std::string text_of(const set_figures& set);

}  // namespace detent::tool
