// SPDX-License-Identifier: MIT
// The thread that turns the wheel stops for ever: nothing fires any more, but every call of every other thread ends
// within a bounded number of operations. Where a thread of an executor stops, even the driver goes on.
#include <gtest/gtest.h>
#include <progress/world.hpp>

#include <thread>

namespace {

using namespace progress;
using namespace std::chrono_literals;

// Work of each kind for the driver: due, far, restarted, cancelled with and without an entry, periodic.
void submit_work(world& around) {
  detent::engine& engine = around.engine();
  const detent::time_point now = around.clock().now();
  for (int i = 0; i < 3; ++i) engine.schedule_at(now, [] {});
  engine.schedule_at(around.far(), [] {}).restart_at(now);
  engine.schedule_at(now, [] {}).restart_at(around.far());
  engine.schedule_at(now, [] {}).cancel();
  engine.schedule_at(around.far(), [held = std::make_shared<int>(0)] {}).cancel();
  engine.schedule_at_fixed_rate(0s, 1h, [] {});
  engine.schedule_at(now, [](detent::firing& firing) { firing.rearm_after(1h); });
}

// The contested timer among it: taken up first, and then changed.
void change_armed(world& around) {
  std::vector<detent::timer> armed;
  for (int i = 0; i < 4; ++i) armed.push_back(around.engine().schedule_at(around.soon(), [] {}));
  around.engine().poll();
  armed[0].cancel();
  armed[1].restart_at(around.clock().now());
  armed[2].restart_at(around.far());
  submit_work(around);
}

void expect_calls_go_on(const char* scenario, world::kind what, const std::function<void(world&)>& drive) {
  std::uint64_t operations = for_each_operation(scenario, [&](std::uint64_t n) {
    world& around = make_world(what);
    around.get_acquainted();
    change_armed(around);
    victim([&] {
      hooks::park_at(n);
      drive(around);
      hooks::park_never();
    });
    around.probe_calls();
    if (victim::suspended() && n != 0) around.probe_refused_poll();  // the operation 0 is what claims the drive
  });
  EXPECT_GE(operations, 20u);
}

TEST(progress_driver, inside_poll_that_takes_up_and_fires) {
  expect_calls_go_on("poll", {.contested = state::armed}, [](world& w) { w.engine().poll(); });
}
TEST(progress_driver, inside_poll_that_hands_over) {
  expect_calls_go_on("poll that hands over", {.contested = state::armed, .executor = true},
                     [](world& w) { w.engine().poll(); });
}
TEST(progress_driver, inside_next_deadline) {
  expect_calls_go_on("next_deadline", {}, [](world& w) { w.engine().next_deadline(); });
}

// A handed-over timer, whose thread stops before, in or after its callback.
void expect_executor_harmless(const char* scenario, const std::function<void(world&, detent::fired_timer)>& use) {
  std::uint64_t operations = for_each_operation(scenario, [&](std::uint64_t n) {
    world& around = make_world({.contested = state::dispatched});
    victim([&] {
      around.get_acquainted();
      detent::fired_timer work = around.executor().take();
      hooks::park_at(n);
      use(around, std::move(work));
      hooks::park_never();
    });
    around.probe_calls();
    around.probe_firing();
  });
  EXPECT_GE(operations, 3u);
}

TEST(progress_executor, inside_a_run) {
  expect_executor_harmless("run by an executor", [](world&, detent::fired_timer work) { work(); });
}
TEST(progress_executor, dropping_what_it_was_given) {
  expect_executor_harmless("drop by an executor", [](world&, detent::fired_timer) {});
}
TEST(progress_executor, re_arming_off_the_worker) {
  for (bool periodic : {false, true}) {
    for_each_operation(periodic ? "periodic run by an executor" : "re-arming by an executor", [&](std::uint64_t n) {
      world& around = make_world({.executor = true});
      if (periodic) {
        around.engine().schedule_at_fixed_rate(0s, 1h, [] {});
      } else {
        around.engine().schedule_after(0s, [](detent::firing& firing) { firing.rearm_after(1h); });
      }
      around.engine().poll();
      victim([&] {
        around.get_acquainted();
        detent::fired_timer work = around.executor().take();
        hooks::park_at(n);
        work();
        hooks::park_never();
      });
      around.probe_calls();
      around.probe_firing();
    });
  }
}

// The engine's own thread, from the end of a callback through firing, draining, announcing and sleeping to the next.
void worker_trial(std::uint64_t n, bool owning) {
  auto& engine = *new detent::engine({.wait = detent::wait_options::sleep(), .reserve = 1024});
  static std::atomic<bool> at_end{false};
  at_end = false;
  auto now = engine.now();
  std::vector<detent::timer> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(owning ? engine.schedule_at(now + 3ms, [held = std::make_shared<int>(0)] {})
                            : engine.schedule_at(now + 3ms, [] {}));
  }
  engine.schedule_at(now + 1ms, [n] { hooks::park_at(n); });
  others[0].cancel();
  others[1].restart_at(now + 2ms);
  others[2].restart_at(now + 1h);
  engine.schedule_at(now + 6ms, [] {
    hooks::park_never();
    at_end = true;
  });
  victim::wait_suspended(at_end);
  detent::timer made;
  probe("schedule, earliest", refill_budget, [&] { made = engine.schedule_after(0s, [] {}); });
  probe("restart, later", [&] { made.restart_after(1h); });
  probe("restart, earlier", [&] { made.restart_after(1ms); });
  probe("cancel", [&] { made.cancel(); });
  for (detent::timer each : others) probe("restart of what is armed", [&] { each.restart_after(1h); });
  for (detent::timer each : others) probe("cancel of what is armed", [&] { each.cancel(); });
  for (int i = 0; i < 100; ++i) probe("schedule", refill_budget, [&] { engine.schedule_after(1h, [] {}); });
  probe("pending()", [&] { engine.pending(); });
  probe("metrics()", metrics_budget, [&] { engine.metrics(); });
  std::thread([&] {
    probe("a new thread", refill_budget, [&] { engine.schedule_after(0s, [] {}).cancel(); });
    hooks::allow(call_budget, "the end of a thread");
  }).join();
}

TEST(progress_driver, the_worker) {
  for (bool owning : {false, true}) {
    std::uint64_t operations = for_each_operation("the worker", [&](std::uint64_t n) { worker_trial(n, owning); });
    EXPECT_GE(operations, 30u);
  }
}

// With a worker that runs, a suspended producer delays nobody else's timers; but for one place, which blocking_test.cpp
// has.
TEST(progress_worker, goes_on_whatever_a_producer_is_at) {
  auto produce = [](detent::engine& engine) {
    detent::timer first = engine.schedule_after(1ms, [] {});
    detent::timer second = engine.schedule_after(1h, [held = std::make_shared<int>(0)] {});
    first.restart_after(1h);
    second.restart_after(0s);
    first.cancel();
    second.cancel();
  };
  std::uint64_t operations = for_each_operation("a producer beside a worker", [&](std::uint64_t n) {
    auto& engine = *new detent::engine({.reserve = 1024});
    victim([&] {
      engine.schedule_after(1h, [] {}).cancel();
      hooks::park_at(n);
      produce(engine);
      hooks::park_never();
    });
    if (victim::suspended() && hooks::parked()->what == hooks::operation::futex_wake) return;
    std::atomic<int> runs{0};
    for (auto delay : {0us, 100us, 1000us}) engine.schedule_after(delay, [&] { ++runs; });
    probe_wait("the worker's firing", [&] { return runs == 3; });
  });
  EXPECT_GE(operations, 30u);
}

}  // namespace
