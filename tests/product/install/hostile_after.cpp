// SPDX-License-Identifier: MIT
// The same macros where the standard headers cannot undefine them: after those, before detent. A second translation
// unit, so that the program also shows that two may include detent.
#include <bits/stdc++.h>

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#include <detent/detent.hpp>

int from_hostile_after() {
  detent::manual_clock clock;
  detent::engine engine({.manual = &clock});
  engine.schedule_after(std::chrono::nanoseconds(1), [] {});
  clock.advance(std::chrono::nanoseconds(1));
  return static_cast<int>(engine.poll());
}
