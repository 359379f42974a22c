// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detent.h>
#include <detent/firing.hpp>

#include <type_traits>

namespace detent::c {

// The function that a C program has scheduled. It is trivially copyable, so it takes the fast path.
struct callback {
  detent_callback function;
  void* context;

  // If stop() has returned the timer, its run is not for the C program: it passes the callback to where_unfired.
  void operator()(firing& run) const {
    if (run.self()) [[likely]]
      return function(context);
    *where_unfired = *this;
  }

  static thread_local callback* where_unfired;
};
static_assert(std::is_trivially_copyable_v<callback> && sizeof(callback) == 16);

}  // namespace detent::c
