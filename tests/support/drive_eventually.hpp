// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <thread>

namespace detent::drive {

// Waits until `condition()` holds. Returns false if it does not hold within a minute. It tells nothing about how soon.
template <class Condition>
bool eventually(Condition&& condition) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace detent::drive
