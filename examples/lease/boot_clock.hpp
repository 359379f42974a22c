// SPDX-License-Identifier: MIT
// The clock that leases are counted by.
#pragma once

#include <ctime>

#include <chrono>

namespace lease {

// CLOCK_BOOTTIME: never set, and not stopped while the machine is suspended, as steady_clock is. The other holders'
// time goes on meanwhile, and so does redis's.
struct boot_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<boot_clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    timespec read{};
    ::clock_gettime(CLOCK_BOOTTIME, &read);
    return time_point(std::chrono::seconds(read.tv_sec) + duration(read.tv_nsec));
  }
};

using boot_time = boot_clock::time_point;

}  // namespace lease
