// SPDX-License-Identifier: MIT
#pragma once

namespace detent::detail {

class engine_core;

// The process's live engines: so that the child of a fork can be told that they are not its own, and so that debug
// builds can tell a handle whose engine has gone. Blocks; not for the hot path.
class live_cores {
 public:
  // Before the first add(), once for all. False: no memory for that; a later call tries again.
  static bool watch_forks() noexcept;
  static void add(engine_core& core) noexcept;
  static void remove(engine_core& core) noexcept;
  // Whether that address is a live engine's; never looks at what it points to.
  static bool contains(const engine_core* core) noexcept;
};

}  // namespace detent::detail
