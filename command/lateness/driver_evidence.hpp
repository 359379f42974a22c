// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>

namespace detent::tool {

// The kernel's figures about the thread that drives an engine. The counts only grow while the engine is watched. Times
// are in nanoseconds.
struct driver_evidence {
  bool visible = false;         // the kernel shows the thread, and how long it waited for a CPU
  std::int64_t ran = 0;         // time on a CPU; for a worker, since the thread began
  std::int64_t waited = 0;      // time ready to run without a CPU
  std::int64_t slices = 0;      // number of times that it got a CPU
  std::int64_t stolen = 0;      // time that the hypervisor took from its CPU
  std::int64_t throttled = 0;   // time for which its control group was throttled
  std::uint64_t throttles = 0;  // number of times that it was throttled
  std::int64_t stopped = 0;     // time in state T, or in a frozen control group
  std::int64_t quiet = 0;       // time in which no thread of the process ran although a timer was overdue
  std::int64_t halted = 0;      // time in which the whole machine stood still
  // The longest single one of each of the last three, as of the last look:
  std::int64_t longest_stop = 0, longest_quiet = 0, longest_halt = 0;
  // The process's threads beside a worker stand for those of its executors. Between each two looks, the one counts that
  // was ready to run without a CPU for longest: its time on a CPU, and that wait.
  std::int64_t other_ran = 0, other_waited = 0;
  // As of the last look:
  std::int64_t overdue = 0;  // by how much a timer was overdue
  double waiting = 0;        // the share of time, from 0 to 1, for which the driver's thread waited for a CPU
  bool is_stopped = false, is_throttled = false;
  std::string rival;  // the thread that had its CPU instead, at the last look that shows one
};

// Returns what was added between two looks.
driver_evidence since(const driver_evidence& later, const driver_evidence& earlier);

}  // namespace detent::tool
