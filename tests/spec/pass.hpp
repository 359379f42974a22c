// SPDX-License-Identifier: MIT
// One pass of the driver over what is due: a call of poll(), or a batch of a worker.
#pragma once

#include "spec/timer.hpp"

#include <cstddef>
#include <cstdint>

namespace detent::spec {

enum class drive : std::uint8_t {
  none,
  poll,   // "drains everything first and again after each callback", so the order is exact (G14)
  worker  // orders what the driver had drained when it began the batch
};

struct pass {
  drive how = drive::none;
  thread_id by = 0;
  // "poll fires what is due at one reading of the clock" (engine::poll)
  nanoseconds_t now = 0;
  std::size_t most = SIZE_MAX;
  // For a worker, how many armings it had drained. Not used for poll().
  std::uint64_t drained = UINT64_MAX;

  std::uint64_t number = 0;
  std::size_t turns = 0;  // timers that were run, handed over, or put behind refused ones
  std::size_t ran = 0;    // callbacks that began inside it, on its thread
  // The executor to which refused timers are being offered again, and whether it has just refused one.
  unsigned retrying = 0;
  bool refused_again = false;
  // Whether the pass is inferred from its events (run.hpp), and whether the last of them may belong to the next one.
  bool is_inferred = false, may_be_over = false;
};

}  // namespace detent::spec
