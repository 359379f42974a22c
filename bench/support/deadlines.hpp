// SPDX-License-Identifier: MIT
// The shapes of deadlines that are measured, as delays in nanoseconds from a common start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random.hpp"

namespace detent::bench {

enum class shape : std::uint8_t { same, uniform, log_uniform };

// Makes `count` delays from `low` to `high`; with shape::same, all are `high`.
inline std::vector<std::int64_t> make_delays(shape wanted, std::size_t count, std::int64_t low, std::int64_t high) {
  cheap_random random(1);
  std::vector<std::int64_t> delays(count);
  for (std::int64_t& each : delays) {
    switch (wanted) {
      case shape::same: each = high; break;
      case shape::uniform:
        each = low + static_cast<std::int64_t>(random.fraction() * static_cast<double>(high - low));
        break;
      case shape::log_uniform:
        each = static_cast<std::int64_t>(random.log_uniform(static_cast<double>(low), static_cast<double>(high)));
        break;
    }
  }
  return delays;
}

}  // namespace detent::bench
