// SPDX-License-Identifier: MIT
// Waiting for what another thread does: a generous limit, and no claim about how soon.
#pragma once

#include <chrono>
#include <thread>

namespace detent::testing {

inline constexpr std::chrono::seconds eventually_limit{20};

// Whether `condition` came true. Looks about once a millisecond.
template <class Condition>
bool eventually(Condition&& condition) {
  const auto give_up = std::chrono::steady_clock::now() + eventually_limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace detent::testing
