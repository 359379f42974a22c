// SPDX-License-Identifier: MIT
// Waits in every way that the engine and its pool wait, for wall_clock_test to look at from outside. Exit status 0 if
// all of them came to their end.
#include <detent/detent.hpp>

#include <poll.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

#include "support/drive_asleep.hpp"
#include "support/drive_eventually.hpp"

namespace {

using namespace std::chrono_literals;
using detent::drive::eventually;

bool wait_on_a_worker(detent::engine_options options) {
  detent::engine e(std::move(options));
  std::atomic<int> fired{0}, waited{0};
  std::atomic<bool> inside{false};
  for (int i = 0; i < 5; ++i) e.schedule_after(i * 2ms, [&] { ++fired; });
  if (!eventually([&] { return fired == 5; })) return false;
  auto until_it_waits = [&](detent::drive::sleeper& who) {
    return [&] {
      inside = true;
      waited += who.sleeps() ? 1 : 0;
    };
  };
  detent::drive::sleeper canceller, stopper;
  detent::timer running = e.schedule_after(0ns, until_it_waits(canceller));
  if (!eventually([&] { return inside.load(); })) return false;
  canceller.lies_down();
  running.cancel_and_wait();
  inside = false;
  e.schedule_after(0ns, until_it_waits(stopper));
  if (!eventually([&] { return inside.load(); })) return false;
  std::thread second([&] { e.stop(); });
  stopper.lies_down();
  e.stop();
  second.join();
  return waited == 2;
}

bool wait_on_a_descriptor() {
  detent::engine e({.drive = detent::drive_kind::caller});
  bool fired = false;
  pollfd readable{e.wake_fd(), POLLIN, 0};
  e.schedule_after(5ms, [&] { fired = true; });
  return eventually([&] {
    ::poll(&readable, 1, 100);
    e.poll();
    return fired;
  });
}

}  // namespace

int main() {
  using detent::wait_options;
  for (const wait_options& wait : {wait_options::sleep(), wait_options::hybrid(), wait_options::busy()}) {
    if (!wait_on_a_worker({.wait = wait})) return 1;
  }
  if (!wait_on_a_worker({.executor = std::make_shared<detent::thread_pool>()})) return 2;
  if (!wait_on_a_descriptor()) return 3;
  std::puts("waited");
  return 0;
}
