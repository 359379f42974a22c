// SPDX-License-Identifier: MIT
// Does a little of everything that has a probe, and prints how often each probe was passed. Where a count is the
// machine's affair, the least. And what some say among others, from the fourth argument on.
#include <detent/detent.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr int rounds = 20;

// Takes nothing, but for the first of each batch.
class refusing_executor : public detent::executor {
 public:
  bool execute(detent::fired_timer&& work) noexcept override {
    refused_ = !refused_;
    if (refused_) return false;
    work();
    return true;
  }

 private:
  bool refused_ = false;
};

struct tally {
  std::uint64_t schedule = 0, cancel = 0, restart = 0, drain = 0, fire = 0, late = 0, wake = 0, refuse = 0, ring = 0;

  void add(const detent::engine_metrics& reported) {
    schedule += reported.scheduled;
    cancel += reported.cancelled;
    restart += reported.restarted;
    drain += reported.drains;
    fire += reported.fired;
    wake += reported.wakeups;
    refuse += reported.refused;
    ring += reported.rings;
  }
};

// A worker that is woken by each call; the calls' fast paths.
void with_worker(tally& passed) {
  detent::engine engine({.name = "probed"});
  std::binary_semaphore ran(0);
  for (int i = 0; i < rounds; ++i) {
    detent::timer idle = engine.schedule_after(1h, [] {});
    idle.restart_after(2h);
    idle.cancel();
    engine.schedule_after(1ms, [&ran] { ran.release(); });
    ran.acquire();
  }
  // The run that let this go on may not have ended yet.
  while (engine.metrics().expired < rounds) std::this_thread::yield();
  passed.add(engine.metrics());
}

// In virtual time: many at once, one too late, one too many, one refused.
void by_poll(tally& passed) {
  detent::manual_clock clock;
  detent::engine engine({.drive = detent::drive_kind::caller,
                         .manual = &clock,
                         .max_pending = rounds,
                         .executor = std::make_shared<refusing_executor>()});
  const detent::label label = engine.make_label("by poll");
  std::vector<detent::time_point> deadlines(rounds - 1, clock.now() + 1ms);
  std::vector<detent::timer> made(deadlines.size());
  engine.schedule_at_bulk(deadlines, [](std::size_t) {}, made, {.label = label});
  engine.schedule_at(clock.now() + 1ms, [] {}, {.max_lateness = 1us});
  if (!engine.try_schedule_at(clock.now() + 1ms, [] {}).pending()) ++passed.refuse;
  engine.cancel_bulk(std::span(made).first(2));
  made[2].restart_at(clock.now() + 2ms);
  clock.advance(1s);
  while (engine.poll() != 0) {
  }
  passed.late += engine.metrics().dropped;
  passed.add(engine.metrics());
}

// Prints, for an engine driven by poll, times, a label's number, a refusal's reason, and that the timer was dropped.
void print_arguments() {
  std::printf(
      "schedule(1000000)\nrestart(2000000)\nrefuse(0)\nrefuse(%d)\nfire(1000000, 999000000, 1)\n"
      "fire(2000000, 998000000, 1)\nlate(1000000, 999000000, 1)\n",
      static_cast<int>(detent::errc::capacity_exceeded));
}

}  // namespace

int main() {
  tally passed;
  with_worker(passed);
  by_poll(passed);
  std::printf(
      "schedule = %lu\ncancel = %lu\nrestart = %lu\nring > %lu\nrefuse = %lu\ndrain > %lu\nsleep > %lu\n"
      "wake > %lu\nfire = %lu\ndone = %lu\nlate = %lu\n",
      passed.schedule, passed.cancel, passed.restart, passed.ring, passed.refuse, passed.drain, passed.wake,
      passed.wake, passed.fire, passed.fire, passed.late);
  print_arguments();
  return EXIT_SUCCESS;
}
