// SPDX-License-Identifier: MIT
// The least that a program can do with the library: docs/packages.md says how large it is.
#include <detent/detent.hpp>
using namespace std::chrono_literals;

int main() {
  detent::engine engine;
  engine.schedule_after(1ms, [] {});
  engine.drain_for(1s);
}
