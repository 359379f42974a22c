// SPDX-License-Identifier: MIT
// A filter of entries that newer generations of their nodes have overtaken: a direct-mapped cache of the newest.
#pragma once

#include "limits.hpp"
#include "submission/submission_queue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace detent::detail {

// Detects stale entries from the entries alone: a later entry that names the same node in a later generation has
// overtaken them. A thread that schedules and cancels reuses few nodes for many generations, and each read of such a
// node would drag its cache line away from that thread. One thread.
class stale_filter {
 public:
  // Moves the entries that may mean something, in their order, to the end of `entries`, and returns where they begin.
  std::size_t keep_fresh(std::uint64_t* entries, std::size_t count) noexcept {
    // Goes backwards, so that it sees the overtaking entry first; the kept ones gather at the end.
    std::size_t kept = count;
    for (std::size_t i = count; i-- != 0;) {
      std::uint64_t entry = entries[i];
      std::uint64_t& newest = newest_[submission::index(entry) % newest_.size()];
      bool same_node = submission::index(newest) == submission::index(entry);
      if (same_node && submission::generation(newest) > submission::generation(entry)) continue;
      newest = entry;
      entries[--kept] = entry;
    }
    return kept;
  }

 private:
  std::array<std::uint64_t, limits::stale_filter>
      newest_{};  // generations only count up, so that old knowledge stays true
};

}  // namespace detent::detail
