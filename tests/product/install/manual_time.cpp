// SPDX-License-Identifier: MIT
// Virtual time and both wheels: the order is exact.
#include <detent/detent.hpp>

#include <vector>

#include "expect.hpp"

using namespace std::chrono_literals;

int main() {
  for (auto wheel : {detent::wheel_kind::hierarchical, detent::wheel_kind::hashed}) {
    detent::manual_clock clock;
    detent::engine engine({.manual = &clock, .wheel = wheel});
    std::vector<int> order;
    engine.schedule_after(3s, [&] { order.push_back(3); });
    engine.schedule_after(1s, [&](detent::firing& run) {
      order.push_back(1);
      if (order.size() == 1) run.rearm_after(1s);
    });
    engine.schedule_after(3s, [&] { order.push_back(4); });
    detent::timer beat = engine.schedule_at_fixed_rate(10s, 10s, [&] { order.push_back(10); });
    EXPECT(engine.next_deadline() == clock.now() + 1s);
    clock.advance(1s);
    EXPECT(engine.poll() == 1);
    clock.advance(4s);
    EXPECT(engine.poll() == 3);
    clock.advance(5s);
    EXPECT(engine.poll() == 1);
    EXPECT((order == std::vector<int>{1, 1, 3, 4, 10}));
    EXPECT(beat.pending() && beat.cancel() == detent::cancel_result::cancelled);
    EXPECT(engine.pending() == 0 && !engine.next_deadline());
  }
}
