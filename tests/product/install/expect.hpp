// SPDX-License-Identifier: MIT
// What the programs of this directory check with: they have no test framework.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#define EXPECT(condition) \
  ((condition) ? void(0) : (std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), std::exit(1)))

// Waits for what must come, on a machine of any speed.
template <class Condition>
void wait_for(Condition condition) {
  auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    EXPECT(std::chrono::steady_clock::now() < give_up);
    std::this_thread::yield();
  }
}
