// SPDX-License-Identifier: MIT
// The processor's own timed waits, for a spin that must cost little.
#pragma once

#include <cstdint>

namespace detent::detail {

enum class pause_kind : std::uint8_t {
  plain,   // PAUSE, or what the architecture has for it: tens of nanoseconds
  tpause,  // Intel, WAITPKG: in C0.1, which takes less than half a microsecond to leave
  mwaitx   // AMD: MONITORX and MWAITX with its timer, in C0
};

// The answers of CPUID; all zero where the processor has no such leaves.
struct pause_features {
  std::uint32_t leaf_7_ecx = 0;         // of subleaf 0
  std::uint32_t leaf_80000001_ecx = 0;  // of the extended ones
};

// By these bits alone: a hypervisor that does not let a guest use an instruction does not show its bit.
pause_kind choose_pause(const pause_features& features) noexcept;

// The one for this processor and the calling thread, which may not use TPAUSE where PR_SET_TSC forbids it the counter.
pause_kind choose_pause_here() noexcept;

// Whether the system lets the calling thread execute that instruction.
bool is_permitted(pause_kind kind) noexcept;

// Waits for at most 1,000 ticks of the time-stamp counter, half a microsecond or less as a rule. An interrupt ends it
// earlier.
void pause_lightly(pause_kind kind) noexcept;

}  // namespace detent::detail
