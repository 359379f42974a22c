// SPDX-License-Identifier: MIT
// What waits for another thread by contract, and what shows that it is only that: stop() with a suspended producer.
#include <gtest/gtest.h>
#include <proofs/progress/lock_free.hpp>

#include <poll.h>

#include <thread>

namespace {

using namespace progress;
using namespace std::chrono_literals;

// Never destroyed, and its one timer runs for ever.
detent::engine& engine_inside_a_callback(detent::timer& running) {
  auto& engine = *new detent::engine({.reserve = 0});
  static std::atomic<bool> never{false};
  running = engine.schedule_after(0s, [] {
    hooks::park_at(0);
    static_cast<void>(detent::manual_clock().now());
  });
  victim::wait_suspended(never);
  return engine;
}

TEST(progress_blocking, cancel_and_wait_waits_for_a_running_callback) {
  expect_blocks([] {
    detent::timer running;
    engine_inside_a_callback(running);
    running.cancel_and_wait();
  });
}
TEST(progress_blocking, cancel_does_not_wait_for_a_running_callback) {
  expect_suspended([] {
    detent::timer running;
    engine_inside_a_callback(running);
    probe("cancel", [&] { require(running.cancel() == detent::cancel_result::running, "cancel says: running"); });
    probe("restart", [&] { require(!running.restart_after(1h), "restart says: false"); });
  });
}
TEST(progress_blocking, stop_waits_for_a_running_callback) {
  expect_blocks([] {
    detent::timer running;
    engine_inside_a_callback(running).stop();
  });
}
TEST(progress_blocking, stop_waits_for_a_thread_inside_poll) {
  expect_blocks([] {
    world& around = make_world();
    victim([&] {
      hooks::park_at(12);
      around.engine().poll();
    });
    around.engine().stop();
  });
}
TEST(progress_blocking, a_second_stop_waits_for_the_first) {
  expect_blocks([] {
    world& around = make_world();
    victim([&] {
      hooks::park_at(20);
      around.engine().stop();
    });
    around.engine().stop();
  });
}

// A group's member is running. Only a call inside that run would end the group at once, so as not to wait for itself.
TEST(progress_blocking, cancel_all_and_wait_waits_for_a_running_member) {
  expect_blocks([] {
    auto& engine = *new detent::engine({.reserve = 0});
    auto& group = *new detent::timer_group(engine);
    static std::atomic<bool> never{false};
    group.schedule_after(0s, [] {
      hooks::park_at(0);
      static_cast<void>(detent::manual_clock().now());
    });
    victim::wait_suspended(never);
    probe("cancel_all", [&] { group.cancel_all(); });
    group.cancel_all_and_wait();
  });
}
TEST(progress_blocking, making_a_group_waits_for_another_that_is_being_made) {
  expect_blocks([] {
    world& around = make_world();
    victim([&] {
      hooks::park_at(0, {.file = "/group_state.cpp"});
      new detent::timer_group(around.engine());
    });
    require(victim::suspended(), "made without an operation");
    detent::timer_group another(around.engine());
  });
}
TEST(progress_blocking, making_a_label_waits_for_another_that_is_being_made) {
  expect_blocks([] {
    world& around = make_world();
    victim([&] {
      hooks::park_at(0, {.file = "/label_store.cpp"});
      around.engine().make_label("a");
    });
    require(victim::suspended(), "made without an operation");
    around.engine().make_label("b");
  });
}

// A thread suspended inside a call keeps stop() from nothing; what it was at is returned, refused or kept by it.
void expect_stop_goes_on(const char* scenario, world::kind what, const std::function<void(world&)>& call) {
  for_each_operation(scenario, [&](std::uint64_t n) {
    world& around = make_world(what);
    victim([&] {
      around.get_acquainted();
      hooks::park_at(n);
      call(around);
      hooks::park_never();
    });
    probe("stop()", poll_budget, [&] { around.engine().stop(); });
    probe("cancel after stop", [&] { around.contested().cancel(); });
    probe("schedule after stop", refill_budget,
          [&] { require(!around.engine().try_schedule_at(around.far(), [] {}), "a stopped engine refuses"); });
  });
}

TEST(progress_stop, beside_a_schedule) {
  expect_stop_goes_on("stop beside schedule", {}, [](world& w) { w.engine().try_schedule_at(w.far(), [] {}); });
}
TEST(progress_stop, beside_a_cancel) {
  expect_stop_goes_on("stop beside cancel", {.contested = state::armed, .owning = true},
                      [](world& w) { w.contested().cancel(); });
}
TEST(progress_stop, beside_a_restart) {
  expect_stop_goes_on("stop beside restart", {.contested = state::armed},
                      [](world& w) { w.contested().restart_at(w.soon() - 1ms); });
}
TEST(progress_stop, beside_a_thread_that_ends) {
  for_each_operation("stop beside the end of a thread", [](std::uint64_t n) {
    world& around = make_world();
    victim([&] {
      around.get_acquainted();
      hooks::park_at(n);
    });
    probe("stop()", poll_budget, [&] { around.engine().stop(); });
  });
}

// The writer waits a second for the operation that it was about to record, and then counts it as lost.
TEST(progress_stop, of_a_recorded_engine_beside_a_schedule) {
  expect_suspended([] {
    world& around = make_world({.record = "/dev/null"});
    victim([&] {
      around.get_acquainted();
      hooks::park_at(0, {.file = "/operation_ring.hpp", .what = hooks::operation::store});
      around.engine().schedule_at(around.far(), [] {});
    });
    around.engine().stop();
  });
}

// stop() itself is suspended: what others call ends, by a refusal at the latest.
TEST(progress_stop, calls_beside_a_suspended_stop) {
  std::uint64_t operations = for_each_operation("calls beside stop", [](std::uint64_t n) {
    world& around = make_world();
    victim([&] {
      hooks::park_at(n);
      around.engine().stop();
      hooks::park_never();
    });
    around.probe_calls();
  });
  EXPECT_GE(operations, 200u);  // some for each node there is
}

// This is not lock-free, as documented: only the thread that has marked the bell of a sleeping driver wakes it.
TEST(progress_blocking, firing_waits_for_a_producer_between_marking_the_bell_and_the_wake) {
  expect_blocks([] {
    auto& engine = *new detent::engine({.reserve = 0});
    static std::atomic<bool> never{false};
    std::thread([&] {
      hooks::park_at(0, {.what = hooks::operation::futex_wake});
      for (auto earlier = 1s;; earlier += 1s) {
        std::this_thread::sleep_for(2ms);  // until the worker has fallen asleep, once
        engine.schedule_after(1h - earlier, [] {});
      }
    }).detach();
    victim::wait_suspended(never);
    std::atomic<bool> fired{false};
    engine.schedule_after(0s, [&] { fired = true; });
    probe_wait("firing of another thread's timer", [&] { return fired.load(); });
  });
}
TEST(progress_blocking, a_wake_fd_waits_for_a_producer_between_marking_the_bell_and_the_signal) {
  expect_blocks([] {
    world& around = make_world();
    around.engine().poll();
    victim([&] {
      around.get_acquainted();
      hooks::park_at(0, {.file = "/wake_fd.cpp"});
      around.engine().schedule_at(around.soon() - 2ms, [] {});
    });
    around.engine().schedule_at(around.clock().now(), [] {});
    pollfd readable{around.wake_fd(), POLLIN, 0};
    probe_wait("the descriptor", [&] { return ::poll(&readable, 1, 0) == 1; });
  });
}

// While a thread fits the time-stamp counter again, the others read the steady clock.
TEST(progress_blocking, delays_by_the_time_stamp_counter_do_not_wait_for_a_thread_that_fits_it) {
  detent::failure problem;
  if (!detent::engine::try_create({.drive = detent::drive_kind::caller, .clock = detent::clock_kind::tsc}, problem))
    GTEST_SKIP() << "the counter of this machine is not invariant";
  expect_suspended([] {
    auto& engine =
        *new detent::engine({.drive = detent::drive_kind::caller, .reserve = 0, .clock = detent::clock_kind::tsc});
    static std::atomic<bool> never{false};
    std::thread([&] {
      hooks::park_at(0, {.file = "/tsc_clock.cpp", .what = hooks::operation::fence});
      for (;;) engine.now();
    }).detach();
    victim::wait_suspended(never);
    probe("schedule_after", [&] { engine.schedule_after(1h, [] {}); });
  });
}

// A call of a thread whose thread-local storage is gone borrows the spare record, or, where that is in use, another
// one.
TEST(progress_blocking, calls_from_the_end_of_two_threads_do_not_wait_for_each_other) {
  static std::atomic<world*> shared{nullptr};
  struct late_caller {
    std::uint64_t stop_at = UINT64_MAX;
    bool calls = false;
    ~late_caller() {
      if (!calls) return;
      if (stop_at != UINT64_MAX) hooks::park_at(stop_at, {.file = "/schedule.cpp"});
      shared.load()->engine().try_schedule_at(shared.load()->far(), [] {});
    }
  };
  auto call_late = [](std::uint64_t stop_at) {
    thread_local late_caller late;  // before the engine's own, and so destroyed after it
    late.calls = true;
    late.stop_at = stop_at;
    shared.load()->get_acquainted();
  };
  expect_suspended([&] {
    shared = &make_world();
    victim([&] { call_late(0); });
    std::thread([&] { call_late(UINT64_MAX); }).join();
  });
}

}  // namespace
