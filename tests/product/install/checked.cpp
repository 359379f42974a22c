// SPDX-License-Identifier: MIT
// Linked with the checked library: a handle that is used after its engine's end says so and aborts.
#include <detent/detent.hpp>

#include <atomic>
#include <memory>
#include <string>

#include "aborted.hpp"
#include "expect.hpp"

using namespace std::chrono_literals;

namespace {

template <class Use>
void aborts_after_the_end(Use use) {
  const std::string said = said_and_aborted([&] {
    detent::manual_clock clock;
    auto engine = std::make_unique<detent::engine>(detent::engine_options{.manual = &clock});
    detent::timer late = engine->schedule_after(1h, [] {});
    engine.reset();
    use(late);
  });
  EXPECT(said.find("the timer's engine has been destroyed") != std::string::npos);
}

}  // namespace

int main() {
  aborts_after_the_end([](detent::timer late) { late.cancel(); });
  aborts_after_the_end([](detent::timer late) { late.cancel_and_wait(); });
  aborts_after_the_end([](detent::timer late) { late.restart_after(1s); });
  aborts_after_the_end([](detent::timer late) { late.restart_at(detent::clock::now()); });
  aborts_after_the_end([](detent::timer late) { late.pending(); });
  aborts_after_the_end([](detent::timer late) { detent::scoped_timer owner(late); });

  // It is the same library in all else.
  std::atomic<bool> fired{false};
  detent::scoped_timer outlives;
  detent::engine engine;
  outlives = detent::scoped_timer(engine.schedule_after(1ms, [&] { fired = true; }));
  wait_for([&] { return fired.load(); });
}
