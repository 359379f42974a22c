// SPDX-License-Identifier: MIT
// Lock-freedom: a thread stops for ever at each operation of each call in turn. Whatever it was at, every other
// thread's calls end within a bounded number of operations, and what they schedule fires.
#include <gtest/gtest.h>
#include <proofs/progress/lock_free.hpp>

namespace {

using namespace progress;
using namespace std::chrono_literals;

TEST(progress_schedule, of_a_far_timer) {
  expect_lock_free(
      "schedule", {}, [](world& w) { w.engine().schedule_at(w.far(), [] {}); }, 8);
}
TEST(progress_schedule, of_the_earliest_timer_which_rings) {
  expect_lock_free(
      "schedule of the earliest", {}, [](world& w) { w.engine().schedule_at(w.soon() - 1ms, [] {}); }, 10);
}
TEST(progress_schedule, of_a_callable_that_owns_something) {
  auto call = [](world& w) { w.engine().try_schedule_at(w.far(), [held = std::make_shared<int>(0)] {}); };
  expect_lock_free("schedule of an owning callable", {}, call, 8);
}
TEST(progress_schedule, of_a_boxed_callable) {
  auto call = [](world& w) {
    w.engine().try_schedule_at(w.far(), [large = std::array<char, 200>()] { static_cast<void>(large); });
  };
  expect_lock_free("schedule of a boxed callable", {}, call, 8);
}
TEST(progress_schedule, of_a_periodic_timer) {
  auto call = [](world& w) { w.engine().schedule_at_fixed_rate(1h, 1h, [] {}); };
  expect_lock_free("schedule of a periodic timer", {}, call, 8);
}
TEST(progress_schedule, with_a_capacity) {
  auto call = [](world& w) { w.engine().schedule_at(w.far(), [] {}); };
  expect_lock_free("schedule with a capacity", {.capacity = 2048}, call, 8);
}
TEST(progress_schedule, by_a_thread_for_the_first_time) {
  for_each_operation("a thread's first schedule", [](std::uint64_t n) {
    world& around = make_world();
    victim([&] {
      hooks::park_at(n);
      around.engine().schedule_at(around.far(), [] {});
      hooks::park_never();
    });
    around.probe_calls();
    around.probe_firing();
  });
}

// Stops only where magazines change hands.
void expect_magazines_lock_free(const char* file) {
  std::uint64_t operations = for_each_operation(file, [file](std::uint64_t n) {
    world& around = make_world();
    victim([&] {
      around.get_acquainted();
      std::vector<detent::timer> made;
      hooks::park_at(n, {.file = file});
      for (int i = 0; i < 3 * 256; ++i) made.push_back(around.engine().schedule_at(around.far(), [] {}));
      for (detent::timer& each : made) each.cancel();
      hooks::park_never();
    });
    around.probe_calls();
    around.probe_firing();
  });
  EXPECT_GE(operations, 2u);
}

TEST(progress_memory, exchange_with_the_depot) { expect_magazines_lock_free("/depot.hpp"); }
TEST(progress_memory, magazines) { expect_magazines_lock_free("/magazine_store.hpp"); }
TEST(progress_memory, nodes_never_used_before) { expect_magazines_lock_free("/slot_pool_slow.hpp"); }

TEST(progress_cancel, of_a_queued_timer) {
  expect_lock_free(
      "cancel, queued", {}, [](world& w) { w.contested().cancel(); }, 3);
}
TEST(progress_cancel, of_a_queued_timer_that_owns_something) {
  expect_lock_free(
      "cancel, queued, owning", {.owning = true}, [](world& w) { w.contested().cancel(); }, 5);
}
TEST(progress_cancel, of_an_armed_timer) {
  expect_lock_free(
      "cancel, armed", {.contested = state::armed}, [](world& w) { w.contested().cancel(); }, 5);
}
TEST(progress_cancel, of_an_armed_timer_that_owns_something) {
  auto call = [](world& w) { w.contested().cancel(); };
  expect_lock_free("cancel, armed, owning", {.contested = state::armed, .owning = true}, call, 6);
}
TEST(progress_cancel, of_a_dispatched_timer) {
  expect_lock_free(
      "cancel, dispatched", {.contested = state::dispatched}, [](world& w) { w.contested().cancel(); }, 5);
}
TEST(progress_cancel, of_a_timer_that_has_gone) {
  expect_lock_free(
      "cancel, gone", {.contested = state::gone}, [](world& w) { w.contested().cancel(); }, 2);
}
TEST(progress_cancel, and_wait_where_nothing_runs) {
  auto call = [](world& w) { w.contested().cancel_and_wait(); };
  expect_lock_free("cancel_and_wait, armed", {.contested = state::armed}, call, 5);
}

void expect_restart_lock_free(const char* scenario, state from, std::chrono::nanoseconds by) {
  expect_lock_free(
      scenario, {.contested = from}, [by](world& w) { w.contested().restart_at(w.soon() + by); }, 2);
}
TEST(progress_restart, of_a_queued_timer_later) {
  expect_restart_lock_free("restart, queued, later", state::queued, 1s);
}
TEST(progress_restart, of_a_queued_timer_earlier) {
  expect_restart_lock_free("restart, queued, earlier", state::queued, -1ms);
}
TEST(progress_restart, of_an_armed_timer_later) { expect_restart_lock_free("restart, armed, later", state::armed, 1s); }
TEST(progress_restart, of_an_armed_timer_earlier) {
  expect_restart_lock_free("restart, armed, earlier", state::armed, -1ms);
}
// The earlier deadline of the suspended one may not have reached the driver: what comes after it, later than that but
// earlier than what the driver knows of, has to submit as well.
TEST(progress_restart, after_one_that_is_suspended) {
  for_each_operation("restart after a suspended one", [](std::uint64_t n) {
    world& around = make_world();
    const detent::time_point now = around.clock().now();
    std::atomic<int> runs{0};
    // So near that a slot of the wheel holds one deadline: nothing else has the driver check the timer in between.
    detent::timer filed = around.engine().schedule_at(now + 40ns, [&runs] { ++runs; });
    around.engine().poll();
    victim([&] {
      around.get_acquainted();
      hooks::park_at(n);
      filed.restart_at(now + 10ns);
      hooks::park_never();
    });
    bool moved = false;
    probe("restart", [&] { moved = filed.restart_at(now + 20ns); });
    around.clock().advance_to(now + 20ns);
    probe("poll()", poll_budget, [&] { around.engine().poll(); });
    require(moved && runs == 1, "a restarted timer has not fired");
  });
}

TEST(progress_restart, of_a_dispatched_timer) {
  expect_restart_lock_free("restart, dispatched", state::dispatched, 1s);
}
TEST(progress_restart, of_a_timer_that_has_gone) { expect_restart_lock_free("restart, gone", state::gone, 1s); }

TEST(progress_query, pending_of_the_engine) {
  expect_lock_free(
      "pending()", {}, [](world& w) { w.engine().pending(); }, 5);
}
TEST(progress_query, pending_of_a_handle) {
  expect_lock_free(
      "handle's pending()", {}, [](world& w) { w.contested().pending(); }, 1);
}
TEST(progress_query, deadline_of_a_handle) {
  expect_lock_free(
      "handle's deadline()", {}, [](world& w) { w.contested().deadline(); }, 4);
}
// There are ten thousand operations, one for each bucket of the histograms; only the others count.
TEST(progress_query, metrics) {
  expect_lock_free("metrics()", {}, [](world& w) { w.engine().metrics(); }, 60, {.but_not = "/histogram_recorder"});
}

TEST(progress_thread, end_of_a_thread) {
  std::uint64_t operations = for_each_operation("end of a thread", [](std::uint64_t n) {
    world& around = make_world();
    victim([&] {
      around.get_acquainted();
      around.engine().schedule_at(around.far(), [] {});
      hooks::park_at(n);
    });
    around.probe_calls();
    around.probe_firing();
  });
  EXPECT_GE(operations, 3u);
}

}  // namespace
