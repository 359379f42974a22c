// SPDX-License-Identifier: MIT
// The processor's time-stamp counter, if it has one.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace detent::base {

#if defined(__x86_64__)
inline std::uint64_t read_time_stamp() noexcept { return __rdtsc(); }

// Reads the counter after everything before it in the program and before everything after it, at twice the cost.
inline std::uint64_t read_time_stamp_in_order() noexcept {
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
}

// Returns whether the counter runs at one rate in every power state: CPUID leaf 80000007h, EDX bit 8.
inline bool time_stamp_is_invariant() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}
#else
inline std::uint64_t read_time_stamp() noexcept { return 0; }
inline std::uint64_t read_time_stamp_in_order() noexcept { return 0; }
inline bool time_stamp_is_invariant() noexcept { return false; }
#endif

}  // namespace detent::base
