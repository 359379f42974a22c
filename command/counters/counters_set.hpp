// SPDX-License-Identifier: MIT
// The shards of a sharded_engine, as one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// Engines of one set are next to each other in its result, which has the others as they come; each by its place in
// `engines`. Of sets that have but one shard there, too.
std::vector<std::vector<std::size_t>> by_set(const std::vector<const engine_identity*>& engines);

// Sums, and histograms of the union; the identity of the first, named after the set: "orders x4". Of gauges that do not
// add up the largest, and of next_deadline the earliest. `shards` is not empty.
counters_snapshot merged(const std::vector<const counters_snapshot*>& shards);

struct shard_figures {
  std::uint32_t shard = 0;
  double fired = 0, p99 = 0;  // runs, of any time for all shards alike; of the lateness, nanoseconds
};
set_figures figures_of_set(const engine_identity& of, const std::vector<shard_figures>& shards);
// Puts one in the place of all shards of a set, with the figures of its whole life.
void fold_sets(std::vector<counters_snapshot>& engines);
// In a line.
std::string text_of(const set_figures& set);

}  // namespace detent::tool
