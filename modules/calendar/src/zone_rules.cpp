// SPDX-License-Identifier: MIT
#include "zone_rules.hpp"

#include <algorithm>

namespace detent::detail {

void zone_rules::add(std::int64_t begin, std::int64_t offset) {
  constexpr civil_second nothing = std::numeric_limits<civil_second>::min();
  if (segments.empty()) {
    segments.push_back({std::numeric_limits<std::int64_t>::min(), offset, nothing});
    return;
  }
  const offset_segment& last = segments.back();
  if (last.offset == offset) return;
  segments.push_back({begin, offset, std::max(last.shown, begin + last.offset)});
}

std::size_t zone_rules::index_at(std::int64_t instant) const noexcept {
  const auto after = std::upper_bound(segments.begin() + 1, segments.end(), instant,
                                      [](std::int64_t at, const offset_segment& each) { return at < each.begin; });
  return static_cast<std::size_t>(after - segments.begin()) - 1;
}

const zone_rules& utc_rules() noexcept {
  static const zone_rules utc = {
      "UTC", {{std::numeric_limits<std::int64_t>::min(), 0, std::numeric_limits<civil_second>::min()}}};
  return utc;
}

}  // namespace detent::detail
