// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/clocks.hpp"

#include <detent/base/atomic.hpp>
#include <detent/durable_store.hpp>

namespace detent::durable::detail {

// This node's term with a shard, as its runs see it. The clock alone decides whether it stands, not a timer or a
// message. So a thread that was stopped for too long sees the end of the term as soon as it continues.
class held_term {
 public:
  held_term(const term_ref& which, const clocks& by, stored_time careful_upto) noexcept
      : which_(which), clock_(by), careful_upto_(careful_upto) {}

  const term_ref& which() const noexcept { return which_; }
  const clocks& clock() const noexcept { return clock_; }
  // relaxed: a stale value is an earlier end, which is safe.
  bool stands() const noexcept { return clock_.elapsed().count() < until_.load(base::relaxed); }
  // Runs that were due by this time may have ended the process that had the former term.
  stored_time careful_upto() const noexcept { return careful_upto_; }
  // The term stands from `asked_at`, taken by elapsed() before the store was asked, for the lease less a margin for
  // clocks that run at different rates.
  void stand(std::chrono::nanoseconds asked_at, std::chrono::nanoseconds lease) noexcept {
    const std::chrono::nanoseconds margin = lease / 50 + std::chrono::milliseconds(2);
    until_.store((asked_at + lease - margin).count(), base::relaxed);  // relaxed: guards no other data
  }
  // Ends the term early.
  void end() noexcept { until_.store(0, base::relaxed); }  // relaxed: guards no other data

 private:
  const term_ref which_;
  const clocks clock_;  // a copy, because runs may outlive the node
  const stored_time careful_upto_;
  base::atomic<std::int64_t> until_{0};
};

}  // namespace detent::durable::detail
