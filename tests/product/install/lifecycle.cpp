// SPDX-License-Identifier: MIT
// Threads, callbacks, cancel, restart, stop: an engine with a worker of its own.
#include <detent/detent.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "expect.hpp"

using namespace std::chrono_literals;

namespace {

void fires_from_many_threads() {
  std::atomic<int> fired{0};
  std::atomic<bool> early{false};
  detent::engine engine({.name = "lifecycle"});
  std::vector<std::thread> producers;
  for (int p = 0; p < 4; ++p) {
    producers.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        engine.schedule_after(std::chrono::microseconds(i % 50), [&](detent::firing& run) {
          if (run.lateness() < 0ns) early = true;
          ++fired;
        });
      }
    });
  }
  for (auto& producer : producers) producer.join();
  wait_for([&] { return fired == 2000; });
  EXPECT(!early);
  engine.stop();
  detent::engine_metrics seen = engine.metrics();
  EXPECT(seen.scheduled == 2000 && seen.expired == 2000 && seen.pending == 0);
}

void cancelled_and_restarted_timers_keep_their_word() {
  std::atomic<int> runs{0};
  detent::engine engine;
  auto captured = std::make_shared<std::string>("alive");
  detent::timer held = engine.schedule_after(1h, [captured] { captured->clear(); });
  EXPECT(held.pending() && captured.use_count() == 2);
  EXPECT(held.restart_after(2h));
  EXPECT(held.cancel() == detent::cancel_result::cancelled);
  EXPECT(captured.use_count() == 1 && *captured == "alive");
  EXPECT(!held.restart_after(1h) && held.cancel() == detent::cancel_result::gone);

  engine.schedule_with_fixed_delay(0ns, 1us, [&] { ++runs; }, {.runs = 5});
  wait_for([&] { return runs == 5; });
}

void stop_hands_back_what_was_pending() {
  int ran = 0;
  detent::engine engine;
  engine.schedule_after(1h, [&] { ++ran; });
  std::vector<detent::unfired> left = engine.stop();
  EXPECT(left.size() == 1 && ran == 0);
  left.front().run();
  EXPECT(ran == 1 && engine.stopped());
  bool refused = false;
  try {
    engine.schedule_after(1h, [] {});
  } catch (const detent::error& e) {
    refused = e.code() == detent::errc::stopped;
  }
  EXPECT(refused);
}

}  // namespace

int main() {
  fires_from_many_threads();
  cancelled_and_restarted_timers_keep_their_word();
  stop_hands_back_what_was_pending();
}
