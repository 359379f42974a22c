// SPDX-License-Identifier: MIT
// The places where carries run through the wheels: the edges of levels, slots and rounds, and times to start from
// beside them.
#pragma once

#include "search/histories/history.hpp"

#include <algorithm>
#include <vector>

namespace detent::history {

inline constexpr unsigned full_bits = 6, top_level = 10;
inline constexpr nanoseconds_t full_ring = 512;

// 64^level: the width of a slot of that level, and the span of the level below.
inline constexpr nanoseconds_t edge_of(unsigned level) { return nanoseconds_t{1} << (full_bits * level); }

inline void add_around(std::vector<nanoseconds_t>& to, nanoseconds_t edge) {
  for (nanoseconds_t off : {-1, 0, 1}) to.push_back(edge + off);
}
inline std::vector<nanoseconds_t> in_order(std::vector<nanoseconds_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Times `offset` beside a multiple of `boundary`, each a multiple of `block` after the one before. A wheel that is
// empty cannot distinguish them as long as nothing reaches beyond the block. If no time is left, it is the first again.
class start_times {
 public:
  start_times(nanoseconds_t boundary, nanoseconds_t offset, nanoseconds_t block)
      : first_(boundary + offset), block_(block) {}
  nanoseconds_t operator()(nanoseconds_t earliest) const {
    if (earliest <= first_) return first_;
    const nanoseconds_t blocks = (earliest - first_ - 1) / block_ + 1;
    return blocks > (detail::forever - first_) / block_ - 1 ? first_ : first_ + blocks * block_;
  }

 private:
  nanoseconds_t first_, block_;
};

}  // namespace detent::history
