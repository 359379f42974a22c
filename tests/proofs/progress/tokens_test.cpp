// SPDX-License-Identifier: MIT
// Stop tokens, whose own rules hold: a call that takes a hook out waits for the thread that runs it. Nobody else does.
#include <gtest/gtest.h>
#include <detent/coroutine.hpp>
#include <proofs/progress/lock_free.hpp>

#include <stop_token>

#include "support/coroutine_tasks.hpp"

namespace {

using namespace progress;
using namespace std::chrono_literals;
using detent::testing::free_task;

TEST(progress_token, schedule_with_one) {
  auto call = [](world& w) {
    auto& source = *new std::stop_source;
    w.engine().schedule_after(1s, source.get_token(), [held = std::make_shared<int>(0)] {});
  };
  expect_lock_free("schedule with a stop token", {}, call, 10);
}
TEST(progress_token, request_that_cancels) {
  auto call = [](world& w) {
    auto& source = *new std::stop_source;
    w.engine().schedule_after(1h, source.get_token(), [held = std::make_shared<int>(0)] {});
    source.request_stop();
  };
  expect_lock_free("stop request", {.contested = state::armed}, call, 20);
}

free_task sleeper(detent::engine& engine, detent::duration length, std::stop_token token) {
  co_await engine.sleep_for(length, std::move(token));
}

TEST(progress_token, coroutine_that_falls_asleep) {
  auto call = [](world& w) { sleeper(w.engine(), 1h, {}); };
  expect_lock_free("sleep_for", {}, call, 10);
}
// Its time comes while it is still falling asleep, on a thread that is suspended. The driver does not wait for that.
TEST(progress_token, coroutine_that_is_due_before_it_sleeps) {
  std::uint64_t operations = for_each_operation("sleep_for, due", [](std::uint64_t n) {
    world& around = make_world();
    victim([&] {
      around.get_acquainted();
      hooks::park_at(n);
      sleeper(around.engine(), 1ms, {});
      hooks::park_never();
    });
    int runs = 0;
    probe("schedule", refill_budget, [&] { around.engine().schedule_at(around.soon(), [&runs] { ++runs; }); });
    around.make_due();
    for (int i = 0; i < 3; ++i) probe("poll()", poll_budget, [&] { around.engine().poll(); });
    require(runs == 1, "a timer that another thread scheduled has not fired");
  });
  EXPECT_GE(operations, 10u);
}

// --- What waits for a hook

// A thread that is suspended in a hook of `source`'s, before it does anything.
void suspend_in_a_hook(std::stop_source& source) {
  victim([&] {
    hooks::park_at(0);
    source.request_stop();
  });
  require(victim::suspended(), "no hook ran");
}

TEST(progress_token, cancel_waits_for_its_hook) {
  expect_blocks([] {
    world& around = make_world();
    auto& source = *new std::stop_source;
    detent::timer made = around.engine().schedule_after(1h, source.get_token(), [] {});
    suspend_in_a_hook(source);
    made.cancel();
  });
}
TEST(progress_token, end_of_a_run_waits_for_its_hook) {
  expect_blocks([] {
    world& around = make_world();
    auto& source = *new std::stop_source;
    around.engine().schedule_after(1ms, source.get_token(), [] {});
    suspend_in_a_hook(source);
    around.make_due();
    around.engine().poll();
  });
}
TEST(progress_token, coroutine_waits_for_its_hook_before_it_goes_on) {
  expect_blocks([] {
    world& around = make_world();
    auto& source = *new std::stop_source;
    sleeper(around.engine(), 1ms, source.get_token());
    suspend_in_a_hook(source);
    around.make_due();
    around.engine().poll();
  });
}

}  // namespace
