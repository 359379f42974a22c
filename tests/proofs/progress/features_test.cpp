// SPDX-License-Identifier: MIT
// Lock-freedom, as in callers_test.cpp, of what few programs use: groups, many timers in one call, labels, lists of
// what is pending, and engines that record what is done to them or remember where.
#include <gtest/gtest.h>
#include <proofs/progress/lock_free.hpp>

#include <array>

namespace {

using namespace progress;
using namespace std::chrono_literals;

constexpr world::kind in_group{.contested = state::armed, .grouped = true};

TEST(progress_group, schedule_into_it) {
  auto call = [](world& w) { w.group().schedule_at(w.far(), [] {}); };
  expect_lock_free("schedule into a group", {.grouped = true}, call, 8);
}
TEST(progress_group, cancel_of_a_member) {
  auto call = [](world& w) { w.contested().cancel(); };
  expect_lock_free("cancel of a member, queued", {.grouped = true}, call, 5);
  expect_lock_free("cancel of a member, armed", in_group, call, 5);
}
TEST(progress_group, restart_of_a_member) {
  expect_lock_free(
      "restart of a member", in_group, [](world& w) { w.contested().restart_at(w.soon() - 1ms); }, 5);
}
TEST(progress_group, cancel_all) {
  expect_lock_free(
      "cancel_all", in_group, [](world& w) { w.group().cancel_all(); }, 5);
}
TEST(progress_group, cancel_all_and_wait_where_nothing_runs) {
  expect_lock_free(
      "cancel_all_and_wait", in_group, [](world& w) { w.group().cancel_all_and_wait(); }, 5);
}
TEST(progress_group, pause_and_resume) {
  auto call = [](world& w) {
    w.group().pause();
    w.group().resume();
  };
  expect_lock_free("pause and resume", in_group, call, 8);
}
TEST(progress_group, pending) {
  expect_lock_free(
      "pending() of a group", in_group, [](world& w) { w.group().pending(); }, 1);
}
// One thread is in the middle of making one, under the lock of construction. Another thread, the driver, gives one
// back.
TEST(progress_group, construction) {
  expect_lock_free(
      "construction of a group", {}, [](world& w) { new detent::timer_group(w.engine()); }, 2);
}
TEST(progress_group, end_where_nothing_runs) {
  expect_lock_free(
      "a group's life", {}, [](world& w) { detent::timer_group(w.engine()).schedule_at(w.far(), [] {}); }, 20);
}

TEST(progress_many, schedule_at_bulk) {
  auto call = [](world& w) {
    const std::array<detent::time_point, 4> deadlines{w.soon() - 1ms, w.far(), w.soon(), w.far()};
    std::array<detent::timer, 4> made;
    w.engine().schedule_at_bulk(
        deadlines, [](std::size_t) {}, made);
  };
  expect_lock_free("schedule_at_bulk", {}, call, 12);
}
TEST(progress_many, cancel_bulk) {
  auto call = [](world& w) {
    std::array<detent::timer, 4> timers{w.contested()};
    for (std::size_t i = 1; i != timers.size(); ++i) timers[i] = w.engine().schedule_at(w.far(), [] {});
    w.engine().cancel_bulk(timers);
  };
  expect_lock_free("cancel_bulk, queued", {}, call, 30);
  expect_lock_free("cancel_bulk, armed", {.contested = state::armed, .owning = true}, call, 30);
}

TEST(progress_label, on_a_timer) {
  auto call = [](world& w) {
    detent::timer made = w.engine().schedule_at(w.far(), [] {}, {.label = w.label()});
    made.restart_at(w.soon());
    made.cancel();
    w.contested().cancel();
  };
  expect_lock_free("a labelled timer", {.contested = state::armed, .labelled = true}, call, 20);
}
TEST(progress_label, metrics) {
  expect_lock_free("metrics(label)", {.labelled = true}, [](world& w) { w.engine().metrics(w.label()); }, 5,
                   {.but_not = "/histogram_recorder"});
}
// Under the lock of label construction, which nothing else takes.
TEST(progress_label, construction) {
  expect_lock_free(
      "make_label()", {}, [](world& w) { w.engine().make_label("another"); }, 1);
}

// Each of a thousand nodes is checked; only the checks of one that is in use count.
TEST(progress_query, list_pending) {
  for (bool capture_origin : {false, true})
    expect_lock_free("list_pending()", {.contested = state::armed, .labelled = true, .capture_origin = capture_origin},
                     [](world& w) { w.engine().list_pending(); }, 24,
                     {.but_not = "/slot_pool.hpp", .nor = "/state_word.hpp"});
}

// Makes the usual calls, on an engine that does more for them.
void call_everything(world& w) {
  detent::timer made = w.engine().schedule_at(w.far(), [] {});
  made.restart_at(w.soon() - 1ms);
  made.cancel();
  w.contested().restart_at(w.soon() + 1s);
  w.contested().restart_at(w.soon() - 1ms);
  w.contested().cancel();
  detent::timer_group group(w.engine());
  group.schedule_at(w.far(), [] {});
  group.pause();
  group.resume();
}

TEST(progress_options, record) {
  expect_lock_free_beside("a recorded engine", {.contested = state::armed, .record = "/dev/null"}, call_everything, 60);
}
TEST(progress_options, capture_origin) {
  expect_lock_free("captured origins", {.contested = state::armed, .capture_origin = true}, call_everything, 60);
}

}  // namespace
