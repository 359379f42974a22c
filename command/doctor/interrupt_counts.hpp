// SPDX-License-Identifier: MIT
// Interrupts of devices on the worker's CPU.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.hpp"
#include "host/host_files.hpp"

namespace detent::tool {

struct interrupt_line {
  std::string name;                   // "36", "LOC"
  std::string device;                 // printable
  std::vector<std::uint64_t> counts;  // by CPU, in the order of the table's head; shorter if there is only one
};

struct interrupt_table {
  std::vector<int> cpus;
  std::vector<interrupt_line> lines;
};

// Reads /proc/interrupts. Returns nothing if it makes no sense.
std::optional<interrupt_table> interrupts_in(std::string_view text);

// Judges the interrupts between two readings of /proc/interrupts. `seconds` is the time between them, or zero.
finding interrupts_on(int cpu, const std::optional<std::string>& earlier, const std::optional<std::string>& later,
                      double seconds);
// Says which interrupts may come to that CPU, by /proc/irq.
finding interrupt_affinity(const host_files& host, int cpu);

}  // namespace detent::tool
