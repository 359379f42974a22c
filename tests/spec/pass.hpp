// SPDX-License-Identifier: MIT
// One pass of the driver over what is due: a call of poll(), or a batch of a worker.
#pragma once

#include "spec/timer.hpp"

#include <cstddef>
#include <cstdint>

namespace detent::spec {

enum class drive : std::uint8_t {
  none,
  poll,   // drains everything first, and again after each callback: the order is exact (G14)
  worker  // the order is of what the driver had drained when it began the batch
};

struct pass {
  drive how = drive::none;
  thread_id by = 0;
  // "poll fires what is due at one reading of the clock" (engine::poll)
  nanoseconds_t now = 0;
  std::size_t most = SIZE_MAX;
  // Of a worker: how many armings it had drained. Of poll() it is not used.
  std::uint64_t drained = UINT64_MAX;

  std::uint64_t number = 0;
  std::size_t turns = 0;  // what was run or handed over
  std::size_t ran = 0;    // callbacks that began inside it
  // What was refused before is offered again first: to which executor, and whether that has just refused it.
  unsigned retrying = 0;
  bool refused_again = false;
};

}  // namespace detent::spec
