// SPDX-License-Identifier: MIT
// No thread but the caller's: the engine's descriptor in a poll(2) loop.
#include <poll.h>

#include <detent/detent.hpp>

#include "expect.hpp"

using namespace std::chrono_literals;

int main() {
  int fired = 0;
  detent::engine engine({.drive = detent::drive_kind::caller});
  for (int i = 0; i < 3; ++i) engine.schedule_after(std::chrono::milliseconds(i), [&] { ++fired; });
  pollfd wake{engine.wake_fd(), POLLIN, 0};
  while (fired < 3) {
    EXPECT(::poll(&wake, 1, 30'000) == 1);
    engine.poll();
  }
}
