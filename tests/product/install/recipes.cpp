// SPDX-License-Identifier: MIT
// The recipes, with macros of other people's headers defined first.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#include <detent/recipes/crew.hpp>
#include <detent/recipes/debounce.hpp>
#include <detent/recipes/hedge.hpp>
#include <detent/recipes/rate_limiter.hpp>
#include <detent/recipes/retry.hpp>
#include <detent/recipes/throttle.hpp>
#include <detent/recipes/watchdog.hpp>

#include "expect.hpp"

int main() {
  int barks = 0;
  detent::manual_clock clock;
  detent::engine engine({.manual = &clock});
  detent::recipes::watchdog dog(engine, std::chrono::nanoseconds(1), [&] { ++barks; });
  clock.advance(std::chrono::nanoseconds(1));
  EXPECT(engine.poll() == 1 && barks == 1);
}
