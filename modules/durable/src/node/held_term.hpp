// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/clocks.hpp"

#include <detent/base/atomic.hpp>
#include <detent/durable_store.hpp>

#include <chrono>
#include <cstdint>

namespace detent::durable::detail {

// This node's term with a shard, for its runs. Whether it stands is decided by the clock, never by a timer or a
// message: a thread that was stopped for too long sees the end the moment it goes on.
class held_term {
 public:
  held_term(const term_ref& which, const clocks& by, stored_time careful_upto) noexcept
      : which_(which), clock_(by), careful_upto_(careful_upto) {}

  const term_ref& which() const noexcept { return which_; }
  const clocks& clock() const noexcept { return clock_; }
  // relaxed: a stale end is an earlier one.
  bool stands() const noexcept { return clock_.elapsed().count() < until_.load(base::relaxed); }
  // Runs that were due by then may have ended the process that had the term before.
  stored_time careful_upto() const noexcept { return careful_upto_; }
  // By elapsed(), counted from before the store was asked, less a margin for clocks that do not run alike.
  void stand(std::chrono::nanoseconds asked_at, std::chrono::nanoseconds lease) noexcept {
    const std::chrono::nanoseconds margin = lease / 50 + std::chrono::milliseconds(2);
    until_.store((asked_at + lease - margin).count(), base::relaxed);  // relaxed: guards nothing but itself
  }
  // Ends the term before its time.
  void end() noexcept { until_.store(0, base::relaxed); }  // relaxed: as above

 private:
  const term_ref which_;
  const clocks clock_;  // runs may outlive the node
  const stored_time careful_upto_;
  base::atomic<std::int64_t> until_{0};
};

}  // namespace detent::durable::detail
