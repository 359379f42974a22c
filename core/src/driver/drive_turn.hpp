// SPDX-License-Identifier: MIT
#pragma once

#include "engine/engine_core.hpp"

namespace detent::detail {

// Claims the drive of a caller-driven engine for a call; one thread at a time.
class drive_turn {
 public:
  // `what` is the caller's name, for the error.
  drive_turn(engine_core& core, const char* what);
  ~drive_turn();
  bool stopped() const noexcept { return stopped_; }

 private:
  engine_core& core_;
  thread_record* record_ = nullptr;
  bool stopped_ = false;
};

}  // namespace detent::detail
