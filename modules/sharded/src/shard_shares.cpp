// SPDX-License-Identifier: MIT
#include <detent/detail/shard_shares.hpp>

#include <numeric>

namespace detent::detail {

shard_shares::shard_shares(std::size_t places, std::size_t shards)
    : shard_at_(places), ends_(shards + 1), places_(places), deadlines_(places), made_(places) {}

// Counts one place further on, so that after summing up the sums are the beginnings of the parts.
void shard_shares::put(std::size_t place, std::size_t shard) noexcept {
  shard_at_[place] = static_cast<std::uint32_t>(shard);
  ++ends_[shard + 1];
}

void shard_shares::sort(std::span<const time_point> deadlines) noexcept {
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  for (std::size_t place = 0; place != shard_at_.size(); ++place) {
    const std::size_t to = ends_[shard_at_[place]]++;
    places_[to] = place;
    deadlines_[to] = deadlines[place];
  }
}

shard_shares::part shard_shares::of(std::size_t shard) noexcept {
  const std::size_t begin = shard == 0 ? 0 : ends_[shard - 1], size = ends_[shard] - begin;
  return {std::span(places_).subspan(begin, size), std::span(deadlines_).subspan(begin, size),
          std::span(made_).subspan(begin, size)};
}

}  // namespace detent::detail
