// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>
#include <detent/manual_clock.hpp>

#include <algorithm>
#include <ctime>

namespace detent::durable::detail {

// The clocks of leases and due times: the machine's, or virtual ones.
class clocks {
 public:
  clocks() noexcept = default;
  explicit clocks(const virtual_time& by) noexcept : by_(by) {}

  bool are_virtual() const noexcept { return by_.clock != nullptr; }
  // CLOCK_BOOTTIME, which continues while the machine is suspended.
  std::chrono::nanoseconds elapsed() const noexcept {
    if (are_virtual()) return by_.clock->now().time_since_epoch();
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }
  wall_time wall() const noexcept {
    return are_virtual() ? by_.epoch + elapsed() : wall_time(std::chrono::system_clock::now());
  }
  stored_time wall_now() const noexcept { return std::chrono::floor<std::chrono::microseconds>(wall()); }

 private:
  virtual_time by_;
};

// A time as stores have it: in whole microseconds, rounded up, of the years 1970 to 2200, so that no arithmetic
// overflows.
constexpr stored_time last_time{std::chrono::sys_days(std::chrono::year(2200) / 1 / 1)};
inline stored_time stored(std::chrono::sys_time<std::chrono::nanoseconds> due) noexcept {
  return std::clamp(std::chrono::ceil<std::chrono::microseconds>(due), stored_time{}, last_time);
}

}  // namespace detent::durable::detail
