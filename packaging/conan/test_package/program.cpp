// SPDX-License-Identifier: MIT
// One timer, in virtual time.
#include <detent/detent.hpp>

#include <cstdio>

int main() {
  using namespace std::chrono_literals;
  detent::manual_clock clock;
  detent::engine engine({.manual = &clock});
  int fired = 0;
  engine.schedule_after(1s, [&fired] { ++fired; });
  clock.advance(1s);
  engine.poll();
  std::printf("%d timer fired\n", fired);
  return fired == 1 ? 0 : 1;
}
