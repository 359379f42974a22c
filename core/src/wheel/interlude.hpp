// SPDX-License-Identifier: MIT
// Long steps of the driver let critical timers go first now and then.
#pragma once

#include "limits.hpp"

#include <algorithm>
#include <cstddef>

namespace detent::detail {

// Called in the middle of a long step, if there is a function to call.
struct interlude {
  void (*call)(void* context) noexcept = nullptr;
  void* context = nullptr;

  void operator()() const noexcept {
    if (call != nullptr) call(context);
  }
};

// Calls step(begin, end) for the numbers up to `count`, one stretch after the other, each followed by an interlude.
template <class Step>
void in_stretches(std::size_t count, const interlude& between, Step&& step) noexcept {
  for (std::size_t begin = 0; begin < count; begin += limits::stretch) {
    step(begin, std::min(begin + limits::stretch, count));
    if (begin + limits::stretch < count) between();
  }
}

}  // namespace detent::detail
