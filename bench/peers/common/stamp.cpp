// SPDX-License-Identifier: MIT
#include "stamp.hpp"

#include "process_readings.hpp"

namespace peers {

double measured_stamp_ns() {
  const std::int64_t began_ns = steady_ns();
  const std::uint64_t began = stamp();
  sleep_until_ns(began_ns + 20'000'000);
  const std::int64_t took_ns = steady_ns() - began_ns;
  return static_cast<double>(took_ns) / static_cast<double>(stamp() - began);
}

}  // namespace peers
