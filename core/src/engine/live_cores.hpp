// SPDX-License-Identifier: MIT
#pragma once

#include "platform/static_mutex.hpp"

#include <cstdint>

namespace detent::detail {

class driven_engine;
class engine_core;

// The process's live engines, so that a forked child can disown them, and so that the owner of a timer, and the checked
// library, can check whether its engine has ended.
class live_cores {
 public:
  // All except is_live() block, and are not for the hot path. Called before the first add(), once for all. Returns
  // false if there is no memory for it; a later call tries again.
  static bool watch_forks() noexcept;
  static void add(driven_engine& core) noexcept;
  static void remove(driven_engine& core) noexcept;
  // Returns whether that address is a live engine's; never reads what it points to.
  static bool contains(const engine_core* core) noexcept;
  // Returns whether the engine of that number has not ended yet. Blocks only if it has ended, or if hundreds live. An
  // engine that ends at the same time on another thread may count as either.
  static bool is_live(std::uint64_t number) noexcept;
  // The list's lock, for a few instructions of others that a fork must find complete: its handlers hold it.
  static static_mutex& mutex() noexcept;
};

}  // namespace detent::detail
