// SPDX-License-Identifier: MIT
// Macros of other people's headers, defined before detent is first seen.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#include <detent/detent.hpp>

#include "expect.hpp"

int from_hostile_after();

int main() {
  int fired = 0;
  detent::manual_clock clock;
  detent::engine engine({.manual = &clock});
  engine.schedule_after(std::chrono::nanoseconds(1), [&] { ++fired; });
  clock.advance(std::chrono::nanoseconds(1));
  EXPECT(engine.poll() == 1 && fired == 1);
  EXPECT(from_hostile_after() == 1);
}
