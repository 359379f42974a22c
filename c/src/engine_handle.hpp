// SPDX-License-Identifier: MIT
// What a C program's pointer to an engine points to.
#pragma once

#include <detent/detent.h>
#include <detent/base/atomic.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/engine.hpp>

#include <cstdint>
#include <utility>

struct detent_engine {
  explicit detent_engine(detent::engine_options options) : engine(std::move(options)) {}

  // The 64 bits that stand for a timer, and the handle made of them again.
  detent_timer id_of(detent::timer made) noexcept {
    using detent::detail::timer_access;
    // Relaxed, here and below: whoever has an id got it from the thread that stored this before.
    if (core_.load(detent::base::relaxed) == nullptr) core_.store(timer_access::core(made), detent::base::relaxed);
    return std::uint64_t{timer_access::queued_half(made)} << 32 | timer_access::index(made);
  }
  detent::timer handle_of(detent_timer id) const noexcept {
    if (id == 0) return {};
    return detent::detail::timer_access::make(core_.load(detent::base::relaxed), id);
  }

  detent::engine engine;

 private:
  // Where all its timers lie; known from the first one on.
  detent::base::atomic<detent::detail::engine_core*> core_{nullptr};
};
