// SPDX-License-Identifier: MIT
// What the engine's sources do around the state word and the doorbell, which the explorer does not see: two threads
// meet there again and again, and yield in the middle of it.
#include <detent/detent.hpp>
#include <search/meetings/hooks.hpp>

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_eventually.hpp"
#include "support/joined_thread.hpp"
#include "support/random_source.hpp"

namespace {

using namespace std::chrono_literals;
using detent::drive::eventually;
using detent::testing::joined_thread;

constexpr std::uint64_t seed = 20261122;

// All of the engine's threads yield while one lives.
class yields {
 public:
  explicit yields(std::uint32_t every) { hooks::yield_at_random(seed, every); }
  ~yields() { hooks::yield_never(); }
  yields(const yields&) = delete;
  yields& operator=(const yields&) = delete;
};

// Runs what it gets at once.
struct running_executor final : detent::executor {
  bool execute(detent::fired_timer&& work) noexcept override {
    detent::fired_timer mine(std::move(work));
    mine();
    return true;
  }
};

// One thread polls; another restarts the timer that is due to the instant that has come, as often as it can. It is
// never lost: it fires at the latest with the poll after the last restart.
void race_restart_against_firing(std::shared_ptr<detent::executor> executor) {
  yields all(4);
  detent::manual_clock clock;
  detent::engine engine(
      {.drive = detent::drive_kind::caller, .manual = &clock, .reserve = 0, .executor = std::move(executor)});
  for (int round = 0; round < 1000; ++round) {
    bool ran = false;
    detent::timer due = engine.schedule_after(1us, [&ran] { ran = true; });
    engine.poll();
    clock.advance(1us);
    const detent::time_point now = clock.now();
    std::atomic<bool> ready{false};
    {
      joined_thread restarts([&] {
        ready.store(true);
        while (due.restart_at(now)) {
        }
      });
      while (!ready.load()) std::this_thread::yield();
      for (int polls = 0; polls < 100 && !ran; ++polls) engine.poll();
      due.cancel();
    }
    ASSERT_TRUE(ran) << "round " << round;
  }
}

TEST(races, a_timer_that_is_restarted_as_it_fires_is_not_lost) { race_restart_against_firing(nullptr); }
TEST(races, nor_is_one_that_is_restarted_as_it_is_handed_over) {
  race_restart_against_firing(std::make_shared<running_executor>());
}

// What is scheduled while the worker goes to sleep until something later.
TEST(races, a_worker_that_goes_to_sleep_misses_nothing) {
  yields all(3);
  detent::test::random_source random(seed);
  detent::engine engine({.wait = detent::wait_options::sleep(), .reserve = 0});
  engine.schedule_after(1h, [] {});
  for (int round = 0; round < 400; ++round) {
    std::atomic<int> ran{0};
    engine.schedule_after(random.between<std::int64_t>(0, 50) * 1us, [&ran] { ++ran; });
    const detent::time_point until = detent::clock::now() + random.between<std::int64_t>(0, 150) * 1us;
    while (detent::clock::now() < until) std::this_thread::yield();
    engine.schedule_after(300us, [&ran] { ++ran; });
    ASSERT_TRUE(eventually([&] { return ran.load() == 2; })) << "round " << round;
  }
}

// A hang is what would be wrong.
TEST(races, a_worker_that_goes_to_sleep_notices_the_stop) {
  yields all(3);
  detent::test::random_source random(seed);
  for (int round = 0; round < 200; ++round) {
    detent::engine engine({.wait = detent::wait_options::sleep(), .reserve = 0});
    engine.schedule_after(1h, [] {});
    const detent::time_point until = detent::clock::now() + random.between<std::int64_t>(0, 150) * 1us;
    while (detent::clock::now() < until) std::this_thread::yield();
    engine.stop();
  }
}

// Of all that is scheduled beside a stop, what has a handle is given back, and nothing else.
TEST(races, what_is_scheduled_while_the_engine_stops_is_given_back_or_refused) {
  yields all(3);
  hooks::leave_alone(true);  // the stopping thread is done before the other goes on
  for (int round = 0; round < 400; ++round) {
    detent::manual_clock clock;
    detent::engine engine({.drive = detent::drive_kind::caller, .manual = &clock, .reserve = 0});
    const auto held = std::make_shared<int>(0);
    std::atomic<int> scheduled{0};
    std::vector<detent::unfired> left;
    {
      joined_thread schedules([&] {
        while (scheduled.load() < 16 && engine.try_schedule_after(1h, [held] {})) ++scheduled;
      });
      while (scheduled.load() < 2) std::this_thread::yield();
      left = engine.stop();
    }
    ASSERT_EQ(left.size(), static_cast<std::size_t>(scheduled.load())) << "round " << round;
    ASSERT_EQ(held.use_count(), 1 + static_cast<long>(left.size())) << "round " << round;
  }
  hooks::leave_alone(false);
}

// A run that ends while others cancel it counts as one end.
TEST(races, a_run_that_is_cancelled_as_it_ends_counts_once) {
  yields all(3);
  constexpr int rounds = 1000;
  detent::manual_clock clock;
  detent::engine engine({.drive = detent::drive_kind::caller, .manual = &clock, .reserve = 0});
  const detent::label named = engine.make_label("contested");
  for (int round = 0; round < rounds; ++round) {
    std::atomic<bool> runs{false};
    detent::timer due = engine.schedule_after(1us, [&runs] { runs.store(true); }, {.label = named});
    engine.poll();
    joined_thread cancels([&] {
      while (!runs.load()) std::this_thread::yield();
      due.cancel_and_wait();
    });
    clock.advance(1us);
    engine.poll();
  }
  const detent::engine_metrics counted = engine.metrics();
  EXPECT_EQ(counted.expired + counted.cancelled, rounds);
  const detent::engine_metrics of_label = engine.metrics(named);
  EXPECT_EQ(of_label.expired + of_label.cancelled, rounds);
}

// Its group's end is one more thing that a worker must not sleep through.
TEST(races, a_worker_that_goes_to_sleep_notices_what_its_group_asks_for) {
  yields all(3);
  detent::test::random_source random(seed);
  detent::engine engine({.wait = detent::wait_options::sleep(), .reserve = 0});
  detent::timer_group group(engine);
  for (int round = 0; round < 400; ++round) {
    group.schedule_after(1h, [] {});
    engine.schedule_after(0ns, [] {});  // turns the worker round
    const detent::time_point until = detent::clock::now() + random.between<std::int64_t>(0, 150) * 1us;
    while (detent::clock::now() < until) std::this_thread::yield();
    group.cancel_all();
    ASSERT_TRUE(eventually([&] { return group.pending() == 0; })) << "round " << round;
  }
}

// What is scheduled while a caller sets its descriptor fires in that call, or makes it readable.
TEST(races, a_descriptor_that_is_being_set_misses_nothing) {
  yields all(3);
  detent::manual_clock clock;
  detent::engine engine({.drive = detent::drive_kind::caller, .manual = &clock, .reserve = 0});
  pollfd asked{.fd = engine.wake_fd(), .events = POLLIN, .revents = 0};
  for (int round = 0; round < 1500; ++round) {
    std::atomic<bool> ready{false};
    bool ran = false;
    {
      joined_thread schedules([&] {
        ready.store(true);
        engine.schedule_after(0ns, [&ran] { ran = true; });
      });
      while (!ready.load()) std::this_thread::yield();
      engine.poll();
    }
    ASSERT_TRUE(ran || ::poll(&asked, 1, 60'000) == 1) << "round " << round;
    engine.poll();
    ASSERT_TRUE(ran) << "round " << round;
  }
}

}  // namespace
