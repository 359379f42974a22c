// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/engine.hpp>
#include <detent/wall_time.hpp>

#include <optional>

namespace detent::detail {

// The wall clock as the engine's time: the kernel slews both alike, so their distance changes only when the wall clock
// is set. A virtual engine has the distance that it is given. Any thread may read it while one changes it.
class wall_clock {
 public:
  wall_clock(const engine& of, std::optional<wall_time> virtual_epoch) noexcept;

  wall_time now() const noexcept;
  // The engine's time at which the wall clock reads `planned` or a little more, never less: by the distance as it was
  // measured last.
  time_point deadline_of(wall_time planned) const noexcept;
  // As deadline_of(), but by both clocks as they stand; takes some 100 ns.
  time_point deadline_now(wall_time planned) const noexcept;
  // Measures the distance again; returns by how much it has grown.
  duration follow() noexcept;
  // Sets the clock of a virtual engine; returns likewise.
  duration set_virtual(wall_time now) noexcept;

 private:
  duration put(nanoseconds_t distance) noexcept;

  const engine& engine_;
  const bool virtual_;
  // Wall time less the engine's. Relaxed everywhere: one that reads it for a timer holds that timer's lock, and after a
  // change each timer is visited under its lock.
  base::atomic<nanoseconds_t> distance_;
};

}  // namespace detent::detail
