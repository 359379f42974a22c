// SPDX-License-Identifier: MIT
// A connection that sends heartbeats and is closed when its peer falls silent; first in virtual time, then in real
// time.
#include <detent/detent.hpp>

#include <cstdio>
#include <latch>
using namespace std::chrono_literals;

class connection {
 public:
  explicit connection(detent::engine& engine)
      : heartbeat_(engine.schedule_at_fixed_rate(20ms, 20ms, [this] { ++sent; })),
        idle_(engine.schedule_after(50ms, [this](detent::firing& run) { close(run); })) {}

  // The peer said something: the end is 50 ms from now, not from then.
  void heard() { idle_.restart_after(50ms); }

  int sent = 0;
  detent::duration late{};
  std::latch closed{1};

 private:
  void close(detent::firing& run) {
    heartbeat_.cancel();
    late = run.lateness();  // never below zero
    closed.count_down();
  }

  detent::scoped_timer heartbeat_, idle_;  // cancelled with the connection, which waits for a callback that runs
};

int main() {
  detent::manual_clock clock;
  detent::engine simulated({.manual = &clock});  // no thread: poll() fires what is due
  connection in_virtual_time(simulated);
  for (int ms = 0; ms < 200; ++ms) {
    clock.advance(1ms);
    simulated.poll();
    if (ms < 100) in_virtual_time.heard();
  }
  std::printf("virtual: %d heartbeats, closed %lld ns late\n", in_virtual_time.sent,
              static_cast<long long>(in_virtual_time.late.count()));

  detent::engine engine;  // a worker of its own
  connection in_real_time(engine);
  in_real_time.closed.wait();
  std::printf("real: closed %lld ns late\n", static_cast<long long>(in_real_time.late.count()));
  return in_virtual_time.sent == 7 && in_virtual_time.late == 0ns && in_real_time.late >= 0ns ? 0 : 1;
}
