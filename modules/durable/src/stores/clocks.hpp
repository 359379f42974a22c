// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

#include <chrono>
#include <ctime>

namespace detent::durable::detail {

// CLOCK_BOOTTIME, which goes on while the machine is suspended: what leases are counted by.
inline std::chrono::nanoseconds elapsed() noexcept {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

inline stored_time wall_now() noexcept {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace detent::durable::detail
