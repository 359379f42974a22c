// SPDX-License-Identifier: MIT
// The thread that turns the wheel stops for ever: nothing fires any more, but every call of every other thread ends
// within a bounded number of operations. Where a thread of an executor stops, even the driver goes on.
#include <gtest/gtest.h>
#include <proofs/progress/lock_free.hpp>

#include <thread>
#include <utility>

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

// The contested timer among it: accepted first, and then changed.
void change_armed(world& around) {
  std::vector<detent::timer> armed;
  for (int i = 0; i < 4; ++i) armed.push_back(around.engine().schedule_at(around.soon(), [] {}));
  around.engine().poll();
  armed[0].cancel();
  armed[1].restart_at(around.clock().now());
  armed[2].restart_at(around.far());
  submit_work(around);
}

// Members to reclaim, and some to insert again.
void change_group(world& around) {
  for (int i = 0; i < 3; ++i) around.group().schedule_at(around.soon(), [held = std::make_shared<int>(0)] {});
  around.engine().poll();
  around.group().cancel_all();
  around.group().schedule_at(around.soon(), [] {});
  change_armed(around);
  around.group().pause();
  around.group().resume();
}

void expect_calls_go_on(const char* scenario, world::kind what, const std::function<void(world&)>& drive,
                        const std::function<void(world&)>& prepare = change_armed) {
  for (bool cancelled : {false, true}) {
    what.cancelled = cancelled;
    std::uint64_t operations = for_each_operation(scenario, [&](std::uint64_t n) {
      world& around = make_world(what);
      around.get_acquainted();
      prepare(around);
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
}

TEST(progress_driver, inside_poll_that_takes_up_and_fires) {
  expect_calls_go_on("poll", {.contested = state::armed}, [](world& w) { w.engine().poll(); });
}
TEST(progress_driver, inside_poll_that_hands_over) {
  expect_calls_go_on("poll that hands over", {.contested = state::armed, .executor = true},
                     [](world& w) { w.engine().poll(); });
}
TEST(progress_driver, inside_poll_that_goes_through_a_group) {
  expect_calls_go_on(
      "poll that goes through a group", {.contested = state::armed, .grouped = true},
      [](world& w) { w.engine().poll(); }, change_group);
}
TEST(progress_driver, inside_next_deadline) {
  expect_calls_go_on("next_deadline", {}, [](world& w) { w.engine().next_deadline(); });
}

// A handed-over timer, whose thread stops before, in or after its callback.
void expect_executor_harmless(const char* scenario, world::kind what,
                              const std::function<void(world&, detent::fired_timer)>& use) {
  what.contested = state::dispatched;
  for (bool cancelled : {false, true}) {
    what.cancelled = cancelled;
    std::uint64_t operations = for_each_operation(scenario, [&](std::uint64_t n) {
      world& around = make_world(what);
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
}

TEST(progress_executor, inside_a_run) {
  auto run = [](world&, detent::fired_timer work) { work(); };
  expect_executor_harmless("run by an executor", {}, run);
  expect_executor_harmless("run of a member by an executor", {.grouped = true}, run);
}
TEST(progress_executor, dropping_what_it_was_given) {
  auto drop = [](world&, detent::fired_timer) {};
  expect_executor_harmless("drop by an executor", {}, drop);
  expect_executor_harmless("drop of a member by an executor", {.grouped = true}, drop);
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

void produce(detent::engine& engine) {
  detent::timer first = engine.schedule_after(1ms, [] {});
  detent::timer second = engine.schedule_after(1h, [held = std::make_shared<int>(0)] {});
  first.restart_after(1h);
  second.restart_after(0s);
  first.cancel();
  second.cancel();
}

// Whatever a producer is suspended in, the calls of others end, and what they schedule fires.
void beside_a_producer(detent::engine& engine, bool fires) {
  std::atomic<int> runs{0};
  for (auto delay : {0us, 100us, 1000us})
    probe("schedule", refill_budget, [&] { engine.schedule_after(delay, [&] { ++runs; }); });
  detent::timer other;
  probe("schedule", refill_budget, [&] { other = engine.schedule_after(1h, [] {}); });
  probe("restart", [&] { other.restart_after(30min); });
  probe("cancel", [&] { other.cancel(); });
  if (fires) probe_wait("the worker's firing", [&] { return runs == 3; });
}

// With a worker that runs, a suspended producer delays nobody else's timers; but for one place, between the marking of
// the bell and the wake (blocking_test.cpp), and there the worker goes on at the deadline that it knew: here 2 ms
// later.
TEST(progress_worker, goes_on_whatever_a_producer_is_at) {
  for (bool knows_a_deadline : {false, true}) {
    std::uint64_t operations = for_each_operation("a producer beside a worker", [&](std::uint64_t n) {
      auto& engine = *new detent::engine({.reserve = 1024});
      if (knows_a_deadline) engine.schedule_at_fixed_rate(2ms, 2ms, [] {});
      victim([&] {
        engine.schedule_after(1h, [] {}).cancel();
        hooks::park_at(n);
        produce(engine);
        hooks::park_never();
      });
      const bool wakes = victim::suspended() && hooks::parked()->what == hooks::operation::futex_wake;
      beside_a_producer(engine, knows_a_deadline || !wakes);
    });
    EXPECT_GE(operations, 30u);
  }
}

// Ever more submissions to a wait, until a thread is suspended. How many make the driver pay for the producers' fences
// depends on how long its heavy fence takes on this host.
void submit_until_suspended(detent::engine& engine) {
  for (int submissions = 40'000; !victim::suspended(); submissions *= 2) {
    for (int i = 0; i < submissions && !victim::suspended(); ++i) engine.schedule_after(1h, [] {}).cancel();
    engine.schedule_after(0s, [] {});
  }
}

detent::engine& engine_that_sleeps() {
  return *new detent::engine({.wait = detent::wait_options::sleep(), .reserve = 65536});
}

TEST(progress_fence, producer_at_its_light_one) {
  if (!detent::base::enable_heavy_fence()) GTEST_SKIP() << "a kernel without membarrier";
  expect_suspended([] {
    detent::engine& engine = engine_that_sleeps();
    std::thread([&] {
      hooks::park_at(0, {.what = hooks::operation::light_fence});
      submit_until_suspended(engine);
    }).detach();
    static std::atomic<bool> never{false};
    victim::wait_suspended(never);
    beside_a_producer(engine, true);
  });
}
TEST(progress_fence, worker_at_its_heavy_one) {
  if (!detent::base::enable_heavy_fence()) GTEST_SKIP() << "a kernel without membarrier";
  expect_suspended([] {
    detent::engine& engine = engine_that_sleeps();
    engine.schedule_after(0s, [] { hooks::park_at(0, {.what = hooks::operation::heavy_fence}); });
    submit_until_suspended(engine);
    static std::atomic<bool> never{false};
    victim::wait_suspended(never);
    beside_a_producer(engine, false);
  });
}

}  // namespace
