// SPDX-License-Identifier: MIT
// A time zone as a table of its offsets. The matcher needs no more, so tests can make up zones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "civil.hpp"

namespace detent::detail {

inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// A segment of constant UTC offset, which lasts until the next one begins.
struct offset_segment {
  std::int64_t begin;   // seconds since 1970, UTC
  std::int64_t offset;  // seconds that local time is ahead of UTC
  civil_second shown;   // all earlier civil seconds were shown by earlier segments
};

struct zone_rules {
  std::string name;
  std::vector<offset_segment> segments;  // at least one; the first begins at the beginning of time

  // Adds a segment after the others. An unchanged offset adds nothing, because a change may concern only the name.
  void add(std::int64_t begin, std::int64_t offset);
  std::size_t index_at(std::int64_t instant) const noexcept;
  // Returns when segment `index` ends.
  std::int64_t end_of(std::size_t index) const noexcept {
    return index + 1 < segments.size() ? segments[index + 1].begin : never;
  }
};

const zone_rules& utc_rules() noexcept;

}  // namespace detent::detail
