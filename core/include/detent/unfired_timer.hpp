// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detail/callable.hpp>
#include <detent/time.hpp>
#include <detent/timer.hpp>

#include <cstddef>
#include <cstdint>

namespace detent {

namespace detail {
struct unfired_maker;
}

// A timer that stop() returned before it fired. Owns its callable, and outlives the engine. If it is destroyed unrun,
// so are its captures. Move-only.
class unfired_timer {
 public:
  timer handle;         // equal to the handle of the schedule call; its calls answer gone and false
  time_point deadline;  // rounded up to the tick
  std::uint64_t tag;    // timer_options::tag, or periodic_options::tag

  unfired_timer(unfired_timer&& other) noexcept;
  unfired_timer& operator=(unfired_timer&& other) noexcept;
  ~unfired_timer() { reset(); }

  // Runs the callback, once. firing::self() is empty in it, and rearm does nothing. Passes the callback's exceptions
  // on.
  void run();

 private:
  friend struct detail::unfired_maker;
  unfired_timer(timer which, time_point when, std::uint64_t tagged, const detail::callable_ops* ops,
                void* capture) noexcept;
  void reset() noexcept;

  const detail::callable_ops* ops_ = nullptr;  // null once run or moved from
  alignas(detail::capture_alignment) std::byte capture_[detail::capture_size];
};

}  // namespace detent
