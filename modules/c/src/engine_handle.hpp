// SPDX-License-Identifier: MIT
// The object behind a C program's pointer to an engine.
#pragma once

#include <detent/detent.h>
#include <detent/detail/timer_access.hpp>
#include <detent/engine.hpp>

#include <cstdint>
#include <utility>

struct detent_engine {
  explicit detent_engine(detent::engine_options options)
      : engine(std::move(options)), core_(detent::detail::timer_access::core(engine)) {}

  // Converts a handle to the 64 bits that stand for a timer, and back. It uses only the handle, because the timer's
  // callback may have destroyed the engine by now.
  static detent_timer id_of(detent::timer made) noexcept {
    using detent::detail::timer_access;
    return std::uint64_t{timer_access::queued_half(made)} << 32 | timer_access::index(made);
  }
  detent::timer handle_of(detent_timer id) const noexcept {
    if (id == 0) return {};
    return detent::detail::timer_access::make(core_, id);
  }

  detent::engine engine;

 private:
  detent::detail::engine_core* const core_;  // where all its timers lie
};
