// SPDX-License-Identifier: MIT
// Waits in every way that the engine and its pool wait, for wall_clock_test to trace from outside. Exit status 0 if
// all of them came to their end.
#include <detent/detent.hpp>

#include <poll.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

#include "support/drive_eventually.hpp"
#include "support/platform/asleep.hpp"

namespace {

using namespace std::chrono_literals;
using detent::drive::eventually;

bool wait_on_a_worker(detent::engine_options options) {
  const bool recorded = !options.record.empty();
  detent::engine e(std::move(options));
  std::atomic<int> fired{0}, waited{0};
  std::atomic<bool> inside{false};
  for (int i = 0; i < 5; ++i) e.schedule_after(i * 2ms, [&] { ++fired; });
  if (!eventually([&] { return fired == 5; })) return false;
  auto until_it_waits = [&](detent::drive::sleeper& waiting) {
    return [&] {
      inside = true;
      waited += waiting.sleeps() ? 1 : 0;
    };
  };
  detent::drive::sleeper canceller, stopper;
  detent::timer running = e.schedule_after(0ns, until_it_waits(canceller));
  if (!eventually([&] { return inside.load(); })) return false;
  canceller.lies_down();
  running.cancel_and_wait();
  if (recorded && !detent::drive::thread_sleeps("detent-record")) return false;
  inside = false;
  e.schedule_after(0ns, until_it_waits(stopper));
  if (!eventually([&] { return inside.load(); })) return false;
  std::thread second([&] { e.stop(); });
  stopper.lies_down();
  e.stop();
  second.join();
  return waited == 2;
}

bool wait_for_a_group() {
  detent::engine e;
  detent::timer_group group(e);
  std::atomic<bool> inside{false}, waited{false};
  detent::drive::sleeper canceller;
  group.schedule_after(0ns, [&] {
    inside = true;
    waited = canceller.sleeps();
  });
  if (!eventually([&] { return inside.load(); })) return false;
  canceller.lies_down();
  group.cancel_all_and_wait();
  return waited;
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
  if (!wait_for_a_group()) return 4;
  // The recorder's thread waits for more to write.
  if (!wait_on_a_worker({.record = "/dev/null"})) return 5;
  detent::failure no_invariant_counter;
  if (detent::engine::try_create({.clock = detent::clock_kind::tsc}, no_invariant_counter) &&
      !wait_on_a_worker({.clock = detent::clock_kind::tsc}))
    return 6;
  std::puts("waited");
  return 0;
}
