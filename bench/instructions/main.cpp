// SPDX-License-Identifier: MIT
// The hot operations, each in a loop of its own, for callgrind to count; instructions.py runs this. No thread but the
// main one runs. Without callgrind it counts nothing, but does and checks the same.
#include "operations.hpp"

#include <cstdio>

int main() {
  std::printf("compiler %s\n", __VERSION__);
  detent::instructions::count_producer();
  detent::instructions::count_driver();
  detent::instructions::count_wheel();
}
