// SPDX-License-Identifier: MIT
// Many timers of many keys, sorted by their shards.
#pragma once

#include <detent/time.hpp>
#include <detent/timer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace detent::detail {

// Holds one timer for each place, in the order of the places within each shard. One thread. Throws bad_alloc.
class shard_shares {
 public:
  shard_shares(std::size_t places, std::size_t shards);
  std::size_t places() const noexcept { return shard_at_.size(); }

  // To be called for each place, and then sort() once.
  void put(std::size_t place, std::size_t shard) noexcept;
  void sort(std::span<const time_point> deadlines) noexcept;

  struct part {
    std::span<const std::size_t> places;
    std::span<const time_point> deadlines;
    std::span<timer> made;
  };
  part of(std::size_t shard) noexcept;

 private:
  std::vector<std::uint32_t> shard_at_;
  std::vector<std::size_t> ends_;  // of each shard's part; before sort(), its beginning
  std::vector<std::size_t> places_;
  std::vector<time_point> deadlines_;
  std::vector<timer> made_;
};

}  // namespace detent::detail
