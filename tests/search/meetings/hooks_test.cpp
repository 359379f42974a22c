// SPDX-License-Identifier: MIT
// The hooks themselves: every operation of a hooked engine is seen, counted, and can be the last.
#include <detent/detent.hpp>
#include <search/meetings/hooks.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using namespace std::chrono_literals;

detent::engine caller_driven(detent::manual_clock& clock) {
  return detent::engine({.drive = detent::drive_kind::caller, .manual = &clock, .reserve = 0});
}

// The exit status of a child that runs `body` and then ends with 0.
template <class F>
int status_of_child(F&& body) {
  pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(hooks, every_call_of_the_engine_is_counted) {
  detent::manual_clock clock;
  detent::engine engine = caller_driven(clock);
  engine.schedule_after(1h, [] {}).cancel();
  std::uint64_t before = hooks::operations();
  detent::timer timer = engine.schedule_after(1h, [] {});
  std::uint64_t scheduled = hooks::operations();
  timer.cancel();
  std::uint64_t cancelled = hooks::operations();
  EXPECT_GT(scheduled, before + 4);  // the word, its deadline, the counts, the fence, the wake time
  EXPECT_GT(cancelled, scheduled);
}

TEST(hooks, a_count_is_one_threads_own) {
  detent::manual_clock clock;
  std::uint64_t before = hooks::operations();
  std::thread([&] { clock.advance(1ns); }).join();
  EXPECT_EQ(hooks::operations(), before);
}

TEST(hooks, a_thread_stops_at_the_operation_that_was_named) {
  EXPECT_EQ(status_of_child([] {
              detent::manual_clock clock;
              std::atomic<int> reads{0};
              std::thread victim([&] {
                hooks::park_at(2);  // a reading of the clock is one operation
                for (;;) {
                  clock.now();
                  ++reads;
                }
              });
              while (hooks::parked() == nullptr) std::this_thread::yield();
              bool right = reads == 2 && hooks::parked()->what == hooks::operation::load &&
                           hooks::parked()->where.is_in("manual_clock.hpp");
              _exit(right ? 0 : 1);
            }),
            0);
}

TEST(hooks, a_thread_that_exceeds_its_budget_ends_the_process) {
  auto read_clock = [](int times) {
    detent::manual_clock clock;
    hooks::allow(2, "two readings");
    for (int i = 0; i < times; ++i) clock.now();
  };
  EXPECT_EQ(status_of_child([&] { read_clock(2); }), 0);
  EXPECT_EQ(status_of_child([&] { read_clock(3); }), hooks::over_budget);
}

TEST(hooks, a_thread_is_held_until_it_is_let_go_on) {
  detent::manual_clock clock;
  std::atomic<int> reads{0};
  hooks::begin_holding();
  std::thread held([&] {
    hooks::hold_at(2);
    for (int i = 0; i < 4; ++i) {
      clock.now();
      ++reads;
    }
    hooks::hold_never();
  });
  const auto place = hooks::wait_held();
  EXPECT_TRUE(hooks::is_holding());
  EXPECT_EQ(reads, 2);
  EXPECT_TRUE(place && place->what == hooks::operation::load && place->where.is_in("manual_clock.hpp"));
  hooks::let_go_on();
  held.join();
  EXPECT_EQ(reads, 4);
  EXPECT_FALSE(hooks::is_holding());
  EXPECT_FALSE(hooks::wait_held());  // not again
}

TEST(hooks, whoever_makes_too_many_operations_lets_the_held_one_go_on) {
  detent::manual_clock clock;
  hooks::begin_holding();
  std::thread held([&] {
    hooks::hold_at(0);
    clock.now();
    hooks::hold_never();
  });
  EXPECT_TRUE(hooks::wait_held());
  hooks::let_go_on_after(2);
  clock.now();
  clock.now();
  EXPECT_TRUE(hooks::is_holding());
  clock.now();
  EXPECT_FALSE(hooks::is_holding());
  hooks::let_go_on_never();
  held.join();
}

TEST(hooks, an_engine_works_with_yields_at_random) {
  const std::uint64_t seed = static_cast<std::uint64_t>(getpid());
  RecordProperty("seed", std::to_string(seed));
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  hooks::yield_at_random(seed, 4);
  std::atomic<int> runs{0};
  {
    detent::engine engine({.reserve = 0});
    for (int i = 0; i < 200; ++i) {
      engine.schedule_after(0ns, [&] { ++runs; });
      if (engine.schedule_after(1h, [] {}).cancel() != detent::cancel_result::cancelled) ADD_FAILURE();
    }
    while (engine.pending() != 0) std::this_thread::yield();
  }
  hooks::yield_never();
  EXPECT_EQ(runs, 200);
}

}  // namespace
