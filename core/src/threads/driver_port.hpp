// SPDX-License-Identifier: MIT
// The right to touch the wheel. A thread's record holds it while that thread drives, and holds null otherwise. So code
// on any thread reaches the wheel through its own record or not at all.
#pragma once

#include "timer/node.hpp"

#include <cstdint>

namespace detent::detail {

// The steps that a driving thread takes at once and every other thread submits. The driver implements them.
class driver_port {
 public:
  // Inserts a node that has been armed.
  virtual void insert(node_index index, node& armed) noexcept = 0;
  // Inserts a node that its own run has re-armed, but not into this pass.
  virtual void reinsert(node_index index, node& armed) noexcept = 0;
  // Accepts a node that has been restarted to an earlier deadline.
  virtual void accept(node_index index, node& submitted, std::uint32_t generation) noexcept = 0;
  // Takes out and frees a node that has been cancelled while it was armed.
  virtual void reap(node_index index, node& cancelled) noexcept = 0;

 protected:
  ~driver_port() = default;
};

// The driving thread's reports on a handed-over timer that it runs itself, with any record: lifecycle.hpp.
class turn_port {
 public:
  // The timer's turn in this pass is over.
  virtual void note_run(node& running) const noexcept = 0;
  // The callback has run.
  virtual void count_run() noexcept = 0;

 protected:
  ~turn_port() = default;
};

}  // namespace detent::detail
