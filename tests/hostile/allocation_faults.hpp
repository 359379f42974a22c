// SPDX-License-Identifier: MIT
// Has the n-th allocation of the program fail, whatever thread makes it, and counts what is held. The hooks are in
// allocation_faults.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>

namespace detent::hostile {

enum class faults : std::uint8_t {
  one,       // the n-th fails, those after it succeed
  from_then  // the n-th and every later one
};

// From now on, in any thread: malloc and its kin (operator new included), and mmap. Counted from 1.
void arm_faults(faults kind, std::uint64_t nth) noexcept;
// No more; says how many were refused.
std::uint64_t disarm_faults() noexcept;

// Memory that the program has allocated and not given back.
struct holdings {
  std::int64_t blocks = 0;        // of the heap
  std::int64_t mapped_bytes = 0;  // by mmap
  bool operator==(const holdings&) const = default;
};
holdings held_now() noexcept;

inline std::ostream& operator<<(std::ostream& out, const holdings& held) {
  return out << held.blocks << " blocks, " << held.mapped_bytes << " bytes mapped";
}

}  // namespace detent::hostile
