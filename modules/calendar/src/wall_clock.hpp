// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/engine.hpp>
#include <detent/wall_time.hpp>

#include <optional>

namespace detent::detail {

// The wall clock in terms of the engine's time. The kernel slews both alike, so their distance changes only when the
// wall clock is set. A virtual engine is given its distance. Any thread may read it while one thread changes it.
class wall_clock {
 public:
  wall_clock(const engine& of, std::optional<wall_time> virtual_epoch) noexcept;

  wall_time now() const noexcept;
  // Returns the engine's time at which the wall clock reads `planned` or a little more, never less, by the last
  // measured distance.
  time_point deadline_of(wall_time planned) const noexcept;
  // Does the same by both clocks as they are now, which takes some 100 ns.
  time_point deadline_now(wall_time planned) const noexcept;
  // Measures the distance again and returns by how much it has grown.
  duration follow() noexcept;
  // Sets the clock of a virtual engine and returns by how much the distance has grown.
  duration set_virtual(wall_time now) noexcept;

 private:
  duration put(nanoseconds_t distance) noexcept;

  const engine& engine_;
  const bool virtual_;
  // Wall time minus the engine's time. relaxed everywhere: a thread that reads it for a timer holds that timer's lock,
  // and after a change each timer is visited under its lock.
  base::atomic<nanoseconds_t> distance_;
};

}  // namespace detent::detail
