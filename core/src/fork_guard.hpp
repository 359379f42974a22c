// SPDX-License-Identifier: MIT
#pragma once

namespace detent::detail {

class engine_core;

// The process's live cores, so that the child of a fork can be told that they are not its own.
class fork_guard {
 public:
  static void add(engine_core& core) noexcept;
  static void remove(engine_core& core) noexcept;
};

}  // namespace detent::detail
