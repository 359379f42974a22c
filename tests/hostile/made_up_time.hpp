// SPDX-License-Identifier: MIT
// A time-stamp counter and a steady_clock that are the test program's own. Both are paused unless a test lets time
// pass. Includes the part of the library that reads the counter, in place of the library's: for one source of a
// program.
#pragma once

#include "platform/time_stamp.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <span>

namespace detent::hostile {

// The counter's ticks are nanoseconds. One object has the time, so that nobody sees half a step of it.
inline std::atomic<std::int64_t> steady_ns{1'000'000'000'000}, counter_ahead{0};
inline std::atomic<std::uint64_t> steady_readings{0};

// By how many parts per million steady_clock goes faster than the counter.
inline int slewed_by = 0;
inline std::int64_t fraction = 0;  // of a nanosecond that the slew has gained, in millionths

// By the counter. One thread at a time.
inline void pass(std::chrono::nanoseconds time) {
  constexpr std::int64_t million = 1'000'000;
  const std::int64_t gained = fraction + time.count() * slewed_by;
  const std::int64_t whole = (gained - ((gained % million) + million) % million) / million;
  fraction = gained - whole * million;
  if (whole != 0) counter_ahead -= whole;
  steady_ns += time.count() + whole;
}

// So much passes inside each reading of steady_clock: not little where the kernel's clock source is a slow device.
inline std::chrono::nanoseconds steady_takes{0};

// So much passes before each of this thread's next readings of either.
inline thread_local std::span<const std::chrono::nanoseconds> before_readings;

inline void pass_before_a_reading() {
  if (before_readings.empty()) return;
  pass(before_readings.front());
  before_readings = before_readings.subspan(1);
}

}  // namespace detent::hostile

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (clock != CLOCK_MONOTONIC) return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  detent::hostile::pass_before_a_reading();
  ++detent::hostile::steady_readings;
  if (detent::hostile::steady_takes.count() != 0) detent::hostile::pass(detent::hostile::steady_takes);
  const std::int64_t ns = detent::hostile::steady_ns;
  *now = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

// Found before the real ones by what tsc_clock.cpp calls. This takes the place of the one in the library.
namespace detent::detail::base {
using namespace detent::base;
inline std::uint64_t read_time_stamp() noexcept {
  hostile::pass_before_a_reading();
  return static_cast<std::uint64_t>(hostile::steady_ns + hostile::counter_ahead);
}
inline std::uint64_t read_time_stamp_in_order() noexcept { return base::read_time_stamp(); }
inline bool time_stamp_is_invariant() noexcept { return true; }
}  // namespace detent::detail::base
#include "platform/tsc_clock.cpp"
