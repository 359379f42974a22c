// SPDX-License-Identifier: MIT
// The right to touch the wheel. A thread's record holds it while that thread drives, and null else: what any thread
// runs reaches the wheel by its own record or not at all.
#pragma once

#include "timer/node.hpp"

#include <cstdint>

namespace detent::detail {

// The steps that a driving thread takes at once and every other one submits. The driver implements them.
class driver_port {
 public:
  // A node that has been armed.
  virtual void insert(node_index index, node& armed) noexcept = 0;
  // One that its own run has re-armed: not in this pass any more.
  virtual void reinsert(node_index index, node& armed) noexcept = 0;
  // One that has been restarted to an earlier deadline.
  virtual void accept(node_index index, node& submitted, std::uint32_t generation) noexcept = 0;
  // One that has been cancelled while it was armed: it is taken out and freed.
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
