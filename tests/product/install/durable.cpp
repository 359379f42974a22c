// SPDX-License-Identifier: MIT
// Durable timers as somebody has them who installed them.
#include <detent/durable.hpp>
#include <detent/durable_memory.hpp>
#include <detent/durable_sqlite.hpp>

#include <atomic>
#include <chrono>
#include <thread>

int main() {
  std::atomic<bool> ran{false};
  detent::engine engine;
  detent::durable::timers timers(engine, detent::durable::memory().connect());
  timers.handle("run", [&](detent::durable::job&) {
    ran = true;
    return detent::durable::outcome::done();
  });
  timers.start();
  timers.schedule_after(std::chrono::milliseconds(1), "run", {});
  while (!ran) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  try {
    detent::durable::sqlite_store("/no/such/directory/timers");
  } catch (const detent::error& refused) {
    return refused.code() == detent::durable::errc::not_permitted ? 0 : 1;
  }
  return 1;
}
