// SPDX-License-Identifier: MIT
// Lets the driver sleep: it wakes early by an adaptive oversleep margin and spins for the rest.
#pragma once

#include <detent/options.hpp>
#include "submission/doorbell.hpp"

#include "platform/clock_reader.hpp"
#include "platform/cpu_latency.hpp"
#include "platform/light_pause.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace detent::detail {

// How long before a deadline to stop sleeping. It follows a high quantile of the oversleep seen, so that spinning
// begins in time without burning more than it must. The more spinning is allowed, the higher the quantile.
class oversleep_margin {
 public:
  explicit oversleep_margin(nanoseconds_t at_most) noexcept;
  nanoseconds_t get() const noexcept { return margin_; }
  void learn(nanoseconds_t oversleep) noexcept;

 private:
  nanoseconds_t at_most_;
  bool for_the_tail_;
  nanoseconds_t margin_;
};

// The worker's wait for a deadline or a ring: busy, hybrid or asleep. One thread.
class waiter {
 public:
  waiter(const wait_options& options, nanoseconds_t tick, const clock_reader& time, doorbell& bell) noexcept;

  // To be called before the first wait: keeps cores from idle states that take longer than `limit` to leave, in sleeps
  // that end near a deadline (engine_options::cpu_latency_limit). Returns 0, or the errno. Tests pass another `device`.
  int limit_cpu_latency(duration limit, const char* device = cpu_latency_device) noexcept;
  // To be called after the last wait, on the worker's thread: gives the limit up.
  void end() noexcept { latency_.close(); }
  void disown() noexcept { latency_.disown(); }  // in the child of a fork

  // Sleeps until it is time to spin for `deadline`, or not at all; waits lightly for the first part of that spin if
  // asked to. Returns false if the bell has rung. `engine` is only for the probes.
  bool sleep(nanoseconds_t deadline, const void* engine = nullptr) noexcept;
  // Spins until `deadline` and returns a certain reading of the clock. Returns nothing if the bell rang first.
  std::optional<nanoseconds_t> spin(nanoseconds_t deadline) noexcept;
  // Returns whether it has waited since the last call, if only for a moment.
  bool has_waited() noexcept { return std::exchange(waited_, false); }
  nanoseconds_t margin() const noexcept { return margin_.get(); }
  // Returns from sleep so far; any thread may ask.
  std::uint64_t wakeups() const noexcept { return wakeups_.load(base::relaxed); }  // relaxed: a count of its own

 private:
  nanoseconds_t settle_latency(nanoseconds_t now, nanoseconds_t target) noexcept;
  bool rest(nanoseconds_t deadline) noexcept;

  const wait_options::kind mode_;
  const std::optional<pause_kind> light_;
  const clock_reader& time_;
  doorbell& bell_;
  oversleep_margin margin_;
  cpu_latency_request latency_;
  bool waited_ = false;
  base::atomic<std::uint64_t> wakeups_{0};
};

}  // namespace detent::detail
