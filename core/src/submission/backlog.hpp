// SPDX-License-Identifier: MIT
// Backpressure with hysteresis: a long queue rings the driver, at a limit that adapts.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/time.hpp>

#include "limits.hpp"

#include <algorithm>
#include <cstdint>

namespace detent::detail {

// Backpressure with hysteresis: bounds what producers may submit before the driver must drain, regardless of the
// deadlines, and so the memory and the work that pile up. A recent entry stays in the queue, because most timers are
// cancelled soon after and cost the driver only the check of a stale entry. A ring costs the producer thousands of
// nanoseconds. So the bound grows while rings come closer than eight milliseconds, from tens of kilobytes of entries to
// two megabytes.
class backlog {
 public:
  // Any thread. Adds entries that it has pushed. Returns true if the caller must ring. relaxed throughout: only a
  // count, which the ring carries across.
  bool add(std::uint64_t entries) noexcept {
    return submitted_.fetch_add(entries, base::relaxed) + entries >= limit_.load(base::relaxed);
  }

  // --- The driver. ---

  // Sets how many entries are left.
  void set_left(std::uint64_t entries) noexcept { submitted_.store(entries, base::relaxed); }
  // Returns whether there are too many, at `now`; and how many may stay.
  bool is_full(nanoseconds_t now) noexcept;
  std::uint64_t may_stay() const noexcept { return limit_.load(base::relaxed) / 2; }

 private:
  base::atomic<std::uint64_t> submitted_{0};
  base::atomic<std::uint64_t> limit_{limits::least_backlog};
  nanoseconds_t last_full_ = INT64_MIN;
};

inline bool backlog::is_full(nanoseconds_t now) noexcept {
  std::uint64_t limit = limit_.load(base::relaxed);
  if (submitted_.load(base::relaxed) < limit) return false;
  nanoseconds_t since = subtract_saturated(now, last_full_);
  last_full_ = now;
  if (since < limits::rings_too_often) limit = std::min(2 * limit, limits::most_backlog);
  if (since > limits::rings_seldom) limit = std::max(limit / 2, limits::least_backlog);
  limit_.store(limit, base::relaxed);
  return true;
}

}  // namespace detent::detail
