// SPDX-License-Identifier: MIT
// The processor's own timed waits, for a spin that must cost little.
#pragma once

#include <cstdint>

namespace detent::detail {

enum class pause_kind : std::uint8_t {
  plain,   // PAUSE or the architecture's equivalent: tens of nanoseconds
  tpause,  // Intel's WAITPKG: stays in C0.1, which takes less than half a microsecond to leave
  mwaitx   // AMD's MONITORX, and MWAITX with its timer: stays in C0
};

// The answers of CPUID. All are zero if the processor lacks those leaves.
struct pause_features {
  std::uint32_t leaf_7_ecx = 0;         // subleaf 0
  std::uint32_t leaf_80000001_ecx = 0;  // an extended leaf
};

// Decides by these bits alone: a hypervisor that does not let a guest use an instruction hides its bit.
pause_kind choose_pause(const pause_features& features) noexcept;

// Decides for this processor and the calling thread, which may not use TPAUSE if PR_SET_TSC forbids it to read the
// counter.
pause_kind choose_pause_here() noexcept;

// Returns whether the system lets the calling thread execute that instruction.
bool is_permitted(pause_kind kind) noexcept;

// Waits for at most 1,000 ticks of the time-stamp counter, which is usually half a microsecond or less. An interrupt
// ends the wait early.
void pause_lightly(pause_kind kind) noexcept;

}  // namespace detent::detail
