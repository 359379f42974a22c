// SPDX-License-Identifier: MIT
#pragma once

#include <detent/timer.hpp>

#include <cstdint>

namespace detent::detail {

class engine_core;

// Handles, taken apart and made.
class timer_access {
 public:
  static timer make(engine_core* core, std::uint32_t index, std::uint32_t generation) noexcept {
    return timer(core, std::uint64_t{generation} << 32 | index);
  }
  static engine_core* core(const timer& t) noexcept { return static_cast<engine_core*>(t.core_); }
  static std::uint32_t index(const timer& t) noexcept { return static_cast<std::uint32_t>(t.id_); }
  static std::uint32_t generation(const timer& t) noexcept { return static_cast<std::uint32_t>(t.id_ >> 32); }
};

}  // namespace detent::detail
