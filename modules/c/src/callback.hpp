// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detent.h>
#include <detent/firing.hpp>

#include <type_traits>

namespace detent::c {

// The function that a C program scheduled. It is copied bit by bit, so that it takes the fast path.
struct callback {
  detent_callback function;
  void* context;

  // The run of a timer that stop() gave back is not the C program's: it passes what it would have run to where_unfired.
  void operator()(firing& run) const {
    if (run.self()) [[likely]]
      return function(context);
    *where_unfired = *this;
  }

  static thread_local callback* where_unfired;
};
static_assert(std::is_trivially_copyable_v<callback> && sizeof(callback) == 16);

}  // namespace detent::c
