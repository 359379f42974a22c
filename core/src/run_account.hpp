// SPDX-License-Identifier: MIT
#pragma once

#include <detent/time.hpp>

#include "counters_block.hpp"

#include <cstdint>

namespace detent::detail {

// What is told of a run when it is over.
struct run_account {
  std::uint32_t taken_up = 0;           // see lateness_split
  nanoseconds_t handed_over = forever;  // to an executor
  nanoseconds_t deadline = 0;
  label_block* label = nullptr;
  const char* file = nullptr;
  std::uint32_t line = 0;
};

}  // namespace detent::detail
