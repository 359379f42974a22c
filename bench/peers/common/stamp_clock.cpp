// SPDX-License-Identifier: MIT
#include "stamp.hpp"

#include "process_readings.hpp"

namespace peers {

std::uint64_t stamp() { return static_cast<std::uint64_t>(steady_ns()); }

}  // namespace peers
