// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>

namespace detent::tool {

// The figures that the kernel reports about the thread that drives an engine. The counts only grow while the engine is
// watched. Times are nanoseconds.
struct driver_evidence {
  bool visible = false;         // the kernel shows the thread
  std::int64_t ran = 0;         // on a CPU; of a worker since the thread began
  std::int64_t waited = 0;      // ready to run, and waiting for a CPU
  std::int64_t slices = 0;      // times that it got a CPU
  std::int64_t stolen = 0;      // by the hypervisor, from its CPU
  std::int64_t throttled = 0;   // its control group stood still
  std::uint64_t throttles = 0;  // so often
  std::int64_t stopped = 0;     // in state T
  std::int64_t quiet = 0;       // no thread of the process ran, though a timer was overdue
  std::int64_t halted = 0;      // with the whole machine
  // The longest single one of the last three, as of the last look.
  std::int64_t longest_stop = 0, longest_quiet = 0, longest_halt = 0;
  std::int64_t overdue = 0;  // by how much a timer was overdue, at the last look
  std::string rival;         // who had its CPU instead, at the last look that shows one
};

// What was added between two looks.
driver_evidence since(const driver_evidence& later, const driver_evidence& earlier);

}  // namespace detent::tool
